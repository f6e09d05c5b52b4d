"""Write the PTX that is shipped beside the examples anew: ``python -m archdef.examples.ship``."""
from archdef.examples.workload import workloads
from archdef.frontends import nvrtc, ptxtext

if __name__ == "__main__":
    for workload in workloads():
        for path in ptxtext.ship(workload.source, nvrtc.compile):
            print(path)
