/**
 * The progress of running jobs as it happens, by server-sent events.
 *
 * A browser opens six connections to a host, of all its tabs together, and each stream takes one as
 * long as the job runs. So only the newest few jobs have one; the others are looked at now and then
 * with the list. A stream that breaks, as when the server is started again, opens itself again and
 * begins with the present state.
 */

const MOST_STREAMS = 2;

/** Streams of events, one a job. */
export class Live {
  /**
   * @param {(id: number, progress: any, hasEnded: boolean) => void} changed
   */
  constructor(changed) {
    this.changed = changed;
    /** @type {Map<number, EventSource>} */
    this.streams = new Map();
  }

  /**
   * Follow these jobs and no others.
   * @param {Array<number>} running their numbers.
   */
  follow(running) {
    const wanted = new Set([...running].sort((one, other) => other - one).slice(0, MOST_STREAMS));
    for (const id of [...this.streams.keys()].filter((open) => !wanted.has(open))) this.close(id);
    for (const id of wanted) if (!this.streams.has(id)) this.open(id);
  }

  open(id) {
    const stream = new EventSource(`/api/v1/jobs/${id}/events`);
    this.streams.set(id, stream);
    stream.addEventListener("progress", (event) => this.changed(id, JSON.parse(event.data), false));
    stream.addEventListener("end", (event) => {
      this.close(id); // or the browser would ask again for ever
      this.changed(id, JSON.parse(event.data), true);
    });
    stream.addEventListener("error", () => {
      // An answer other than a stream is for good: the next look at the list opens a new one.
      if (stream.readyState === EventSource.CLOSED && this.streams.get(id) === stream)
        this.close(id);
    });
  }

  close(id) {
    this.streams.get(id)?.close();
    this.streams.delete(id);
  }
}
