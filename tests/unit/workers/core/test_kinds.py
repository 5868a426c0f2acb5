"""Lanes of jobs."""

from workers.core.kinds import Lane, lane_of_job


def test_every_lane_and_engine_version_has_its_own_queue() -> None:
    queues = [lane.queue for lane in Lane]
    assert queues == ["c4.interactive.e1", "c4.bulk.e1"]


def test_the_priority_determines_the_lane() -> None:
    assert lane_of_job(0) is lane_of_job(99) is lane_of_job(-5) is Lane.BULK
    assert lane_of_job(100) is lane_of_job(1000) is Lane.INTERACTIVE
