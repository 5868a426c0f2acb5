"""The only task: working on a unit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from celery import shared_task
from celery.exceptions import Reject

from workers.broker.messaging import TASK
from workers.core.kinds import lane_of_queue
from workers.service.this_process import THIS_PROCESS

if TYPE_CHECKING:
    from celery import Task


@shared_task(name=TASK, bind=True)
def work_on_unit(task: Task, unit_id: int) -> None:
    """Work on a unit; if it is still to be done afterwards, the message goes back.

    Args:
        task: knows the queue of the message.
        unit_id: the unit's number in the database.
    """
    lane = lane_of_queue(task.request.delivery_info["routing_key"])
    if not THIS_PROCESS.worker().unit_worker.work_on(unit_id, lane):
        raise Reject("handed back", requeue=True)
