"""Claims and leases follow a model; tests/release/long tries more, also on PostgreSQL."""

from pathlib import Path

from tests.support.claim_machine import run_claim_machine


def test_claims_follow_the_model(sqlite_path: Path) -> None:
    run_claim_machine(f"sqlite:///{sqlite_path}", examples=15)
