"""How tests start commands to which they send signals."""
import sys

INTERRUPTIBLE = [sys.executable, "-c", "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); signal.signal(signal.SIGHUP, signal.SIG_DFL); "
                                       "os.execv(sys.argv[1], sys.argv[1:])"]
"""Starts what follows so that signals end it: what a shell starts in the background ignores interrupts, what ``nohup`` starts SIGHUP, and so does all
that these start."""
