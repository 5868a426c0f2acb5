"""Many claims on both databases; the gate tries fewer."""

from tests.support.claim_machine import run_claim_machine


def test_claims_follow_the_model(rows_url: str) -> None:
    run_claim_machine(rows_url, examples=60)
