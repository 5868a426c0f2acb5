"""Check the KEDA objects in deploy/kubernetes against the models of KEDA's CRDs.

``make lint`` runs this script in a separate environment: the package with the models installs a
pytest plugin that must not be in the tests' environment.
"""

import sys
from pathlib import Path

import yaml
from cloudcoil.models.keda import v1alpha1 as keda

ROOT = Path(__file__).parents[1]


def main() -> int:
    """Print each object with an invalid or unknown field; the exit code is 1 if there is one."""
    found = wrong = 0
    for path in sorted((ROOT / "deploy" / "kubernetes").glob("**/*.yaml")):
        for each in yaml.safe_load_all(path.read_text()):
            if not each["apiVersion"].startswith("keda.sh/"):
                continue
            found += 1
            try:
                read = getattr(keda, each["kind"]).model_validate(each)
            except ValueError as error:
                print(f"{path}: {error}")
                wrong += 1
                continue
            # The models drop unknown fields.
            if read.model_dump(by_alias=True, exclude_unset=True, mode="json") != each:
                print(f"{path}: {each['kind']} has a field that KEDA does not know")
                wrong += 1
    if not found:
        print("deploy/kubernetes has no KEDA object")
    return 1 if wrong or not found else 0


if __name__ == "__main__":
    sys.exit(main())
