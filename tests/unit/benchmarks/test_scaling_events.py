"""The simulation's clock and servers, held against what queueing theory knows exactly."""

from __future__ import annotations

import math
import random
from statistics import fmean
from typing import TYPE_CHECKING

import pytest

from benchmarks.scaling.events import Server, Simulation

if TYPE_CHECKING:
    from collections.abc import Callable

    from benchmarks.scaling.events import Process


def mean_wait(
    *, load: float, service: Callable[[random.Random], float], places: int = 1, customers: int
) -> tuple[float, float]:
    """Mean wait for service, and utilisation, when customers come at random to a server.

    Args:
        load: that the server bears, as a share of what it can.
        service: seconds, 1.0 on average.
        places: of the server.
        customers: that come.
    """
    chance = random.Random(1)
    simulation = Simulation()
    server = Server(simulation, places)
    waits = []

    def come() -> Process:
        for _ in range(customers):
            yield simulation.now + chance.expovariate(load * places)
            seconds = service(chance)
            waits.append(server.serve(seconds) - seconds - simulation.now)

    simulation.start(come())
    simulation.run()
    return fmean(waits), server.utilisation()


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
def test_constant_service_waits_as_in_an_m_d_1_queue(load: float) -> None:
    wait, used = mean_wait(load=load, service=lambda _chance: 1.0, customers=200_000)
    assert wait == pytest.approx(load / (2 * (1 - load)), rel=0.05)
    assert used == pytest.approx(load, rel=0.02)


@pytest.mark.parametrize(("load", "places"), [(0.7, 1), (0.7, 4), (0.9, 8)])
def test_random_service_waits_as_in_an_m_m_c_queue(load: float, places: int) -> None:
    offered = load * places
    last = offered**places / math.factorial(places) / (1 - load)
    all_busy = last / (sum(offered**n / math.factorial(n) for n in range(places)) + last)
    wait, used = mean_wait(
        load=load,
        service=lambda chance: chance.expovariate(1.0),
        places=places,
        customers=400_000,
    )
    assert wait == pytest.approx(all_busy / (places * (1 - load)), rel=0.06)
    assert used == pytest.approx(load, rel=0.02)


@pytest.mark.parametrize("customers", [1, 5, 10, 40])
def test_customers_that_return_are_served_as_in_the_machine_repair_model(customers: int) -> None:
    """Each thinks for 10 s on average, is served for 1 s, and so on."""
    simulation = Simulation()
    server = Server(simulation)
    chance = random.Random(2)
    served = [0]

    def think_and_be_served() -> Process:
        while True:
            yield simulation.now + chance.expovariate(0.1)
            yield server.serve(chance.expovariate(1.0))
            served[0] += 1

    for _ in range(customers):
        simulation.start(think_and_be_served())
    simulation.run(1_000)
    server.forget()
    served[0] = 0
    simulation.run(101_000)
    queue = rate = 0.0  # mean value analysis, exact
    for number in range(1, customers + 1):
        seconds = 1.0 + queue
        rate = number / (10.0 + seconds)
        queue = rate * seconds
    assert served[0] / 100_000 == pytest.approx(rate, rel=0.02)
    assert server.utilisation() == pytest.approx(rate, rel=0.02)


def test_processes_go_on_in_the_order_of_time_and_of_asking() -> None:
    simulation = Simulation()
    seen = []

    def go(name: str, *times: float) -> Process:
        for time in times:
            yield time
            seen.append((name, simulation.now))

    simulation.start(go("a", 1.0, 3.0))
    simulation.start(go("b", 1.0, 2.0))
    simulation.run(2.5)
    assert seen == [("a", 1.0), ("b", 1.0), ("b", 2.0)]
    assert simulation.now == 2.5
    simulation.run()
    assert seen[-1] == ("a", 3.0)
    assert simulation.now == 3.0


def test_who_sleeps_goes_on_when_woken() -> None:
    simulation = Simulation()
    woken = []

    def sleep() -> Process:
        yield None
        woken.append(simulation.now)

    def wake(sleeper: Process) -> Process:
        yield 5.0
        simulation.start(sleeper)

    sleeper = sleep()
    simulation.start(sleeper)
    simulation.start(wake(sleeper))
    simulation.run()
    assert woken == [5.0]


def test_a_time_that_has_passed_is_now() -> None:
    simulation = Simulation()
    times = []

    def go() -> Process:
        yield 4.0
        yield 1.0
        times.append(simulation.now)

    simulation.start(go())
    simulation.run()
    assert times == [4.0]


def test_service_is_first_come_first_served() -> None:
    simulation = Simulation()
    server = Server(simulation, places=2)
    assert [server.serve(seconds) for seconds in (5.0, 1.0, 1.0, 1.0)] == [5.0, 1.0, 2.0, 3.0]


def test_utilisation_counts_what_was_done_within_the_time_measured() -> None:
    simulation = Simulation()
    server = Server(simulation)

    def ask() -> Process:
        yield server.serve(4.0)
        yield 10.0

    simulation.start(ask())
    assert server.utilisation() == 0.0
    simulation.run(2.0)
    assert server.utilisation() == 1.0
    server.forget()
    simulation.run(6.0)
    assert server.utilisation() == 0.5
