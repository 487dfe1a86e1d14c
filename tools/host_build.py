"""host_build.py -- functions of inst/cl compiled as C into a shared library, with constants changed: for experiments."""
import ctypes
import os
import re
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def changed(text, factors, squared=()):
    """The source with each #define NAME of `factors` multiplied by its factor (1/spacing^2 divided by the factor's square)."""
    for key, factor in factors.items():
        scale = " / %r" % factor ** 2 if key in squared else " * %r" % factor
        text = re.sub(r"(#define %s )([^/\n]*)" % key, lambda m: m.group(1) + "((" + m.group(2).strip() + ")" + scale + ") ", text)
    return text


def library(folder, name, functions, edit, code="", options=()):
    """The library of what `functions` need; edit(text) gives each file of nmath as it is to be."""
    wanted = set(functions)
    for function in functions:
        stem = home(function)
        text = open(ROOT + "/inst/cl/nmath/" + stem + ".cl").read()
        wanted |= {stem} | set(re.search(r"@all_depends: (.*)", text).group(1).split(", "))
    lines = ['#include "%s/src/host/host_shim.h"' % ROOT]
    for path in re.findall(r'#include "\.\./\.\./(inst/cl/.*)"', open(ROOT + "/src/host/host_unity_gen.h").read()):
        layer, stem = path.split("/")[-2:]
        if path.startswith("inst/cl/ex_") or layer == "src" or (layer == "nmath" and stem[:-3] not in wanted):
            continue
        text = open(ROOT + "/" + path).read()
        new = edit(text) if layer == "nmath" else text
        lines.append('#include "%s/%s"' % (ROOT, path) if new == text else new)
    source = os.path.join(folder, name + ".c")
    open(source, "w").write("\n".join(lines) + "\n" + code)
    subprocess.check_call(["gcc", "-w", "-O2", "-ffp-contract=off", "-fPIC", "-shared", *options, "-o", source[:-2] + ".so", source, "-lm"])
    return ctypes.CDLL(source[:-2] + ".so")


def home(function):
    """The stem of the file that provides a function."""
    folder = ROOT + "/inst/cl/nmath/"
    if os.path.exists(folder + function + ".cl"):
        return function
    for path in os.listdir(folder):
        provides = re.search(r"@provides: (.*)", open(folder + path).read())
        if provides and function in provides.group(1).split(", "):
            return path[:-3]
    raise KeyError(function)
