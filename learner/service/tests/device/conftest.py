from __future__ import annotations

import sys
from pathlib import Path

for beside in ("engine", "golden"):
    sys.path.insert(0, str(Path(__file__).parents[1] / beside))
