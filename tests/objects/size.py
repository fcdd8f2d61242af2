"""size.py - A library stays below a size.

    size.py STRIP LIBRARY BYTES

It is measured as packages have it, without the tables of a debugger.
"""

import os
import subprocess
import sys
import tempfile


def main():
    strip, library, most = sys.argv[1], sys.argv[2], int(sys.argv[3])
    with tempfile.TemporaryDirectory() as folder:
        stripped = os.path.join(folder, "stripped")
        subprocess.run([strip, "-o", stripped, library], check=True)
        size = os.path.getsize(stripped)
    print(f"{library} has {size} bytes without debugging tables, {most} at most")
    return 0 if size <= most else 1


if __name__ == "__main__":
    sys.exit(main())
