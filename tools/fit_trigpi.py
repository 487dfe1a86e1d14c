#!/usr/bin/python3
"""fit_trigpi.py -- the polynomials of cospi.cl: sin(pi r)/r and cos(pi r) in z = r^2, |r| <= 1/4. See fit_normal.py."""
import mpmath as mp
from fit_normal import points, show_fit

import table_check  # --check

if __name__ == "__main__":
    z = points(0, mp.mpf(1) / 16, 40)
    show_fit("cospi_s", lambda z: mp.pi * mp.sincpi(mp.sqrt(z)), z, 7)
    show_fit("cospi_c", lambda z: mp.cospi(mp.sqrt(z)), z, 7)
