"""A process that answers questions, one line each way, and is replaced when it dies: what it ran may be the program under test."""

import json
import os
import select
import subprocess


class AnsweringProcess:
    """Runs `command`, which answers each line of its input with one line that holds a JSON object."""

    def __init__(self, command, seconds, environment=None):
        self.command = command
        self.seconds = seconds
        self.environment = os.environ | (environment or {})
        self.process = None

    def ask(self, question):
        """The answer; or {outcome, message} with the outcome "crashed" or "hung"."""
        if self.process is None or self.process.poll() is not None:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        try:
            self.process.stdin.write(f"{question}\n".encode())
            self.process.stdin.flush()
        except BrokenPipeError:
            # It ended before it asked for anything; what follows finds that out.
            pass
        ready, _, _ = select.select([self.process.stdout], [], [], self.seconds)
        line = self.process.stdout.readline() if ready else b""
        if line:
            return json.loads(line)
        self.process.kill()
        status = self.process.wait()
        self.process = None
        return {"outcome": "crashed" if ready else "hung", "message": f"exit status {status}"}

    def close(self):
        if self.process is not None:
            self.process.stdin.close()
            self.process.wait()
            self.process = None
