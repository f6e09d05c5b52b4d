"""Does what kernels print come out whole, whichever threads of the program wait for them?"""
import threading
from types import SimpleNamespace

from archdef.exec.calls import Output, Thread
from archdef.exec.wire import Hello

HELLO = Hello(functions=0, process=0, scratch=0, scratch_bytes=64, write_text=1, start_server=0, link_lto=0, serves=0, image=0, cuda=0)


class Program:
    """A program with room for one text, whose first thread that writes does so only when the other thread has had time to come between."""

    def __init__(self):
        self.room, self.written, self.between = b"", "", None
        self.session = SimpleNamespace(memory=self, runtime=None, output=Output())

    def put(self, address, data):
        self.room = data

    def call(self, function, address, nbytes, is_error=False):
        between, self.between = self.between, None
        if between is not None:
            between.start()
            between.join(0.3)
        self.written += self.room[:nbytes].decode()
        return nbytes

    def thread(self):
        return Thread(self.session, self, HELLO)


def test_texts_of_two_threads_do_not_take_each_others_place():
    program = Program()
    program.between = other = threading.Thread(target=program.thread().print, args=("two",))
    program.thread().print("one" * 20)      # in two pieces
    other.join()
    assert program.written == "one" * 20 + "two"
