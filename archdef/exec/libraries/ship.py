"""Write the PTX of the libraries' kernels anew: ``python -m archdef.exec.libraries.ship``."""
from archdef.exec.libraries.kernels import ship
from archdef.frontends import nvrtc

if __name__ == "__main__":
    for path in ship(nvrtc.compile):
        print(path)
