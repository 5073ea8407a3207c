# SPDX-License-Identifier: Apache-2.0
import sys

from .client import main

sys.exit(main())
