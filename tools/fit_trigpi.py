#!/usr/bin/python3
"""fit_trigpi.py -- the polynomials of cospi.cl: sin(pi r)/r and cos(pi r) in z = r^2, |r| <= 1/4. See fit_normal.py."""
import mpmath as mp
from fit_normal import fit, show

if __name__ == "__main__":
    show("cospi_s", *fit(lambda z: mp.pi * mp.sincpi(mp.sqrt(z)), 0, mp.mpf(1) / 16, 6))
    show("cospi_c", *fit(lambda z: mp.cospi(mp.sqrt(z)), 0, mp.mpf(1) / 16, 7))
