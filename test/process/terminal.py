# Runs a command with a controlling terminal of its own and records what arrives where.
# It knows nothing of the command; the terminal's bytes and the other streams' are kept apart.
#
# usage: terminal.py DIRECTORY same|apart pipe|tty COLUMNS ROWS COMMAND...
# In DIRECTORY: `tty` (bytes on the controlling terminal), `err` (standard error, a terminal of its own with "apart"),
# `out` (standard output, a pipe or that terminal). What is in the file `keys` once it exists is typed on the terminal.
import fcntl, os, pty, select, signal, struct, sys, termios

directory, how, output, columns, rows, *command = sys.argv[1:]
size = struct.pack("HHHH", int(rows), int(columns), 0, 0)
master, slave = pty.openpty()
fcntl.ioctl(slave, termios.TIOCSWINSZ, size)
errors, error_end = (master, slave) if how == "same" else pty.openpty()
fcntl.ioctl(error_end, termios.TIOCSWINSZ, size)
out, out_end = os.pipe()
child = os.fork()
if child == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    os.dup2(slave, 0)
    os.dup2(slave if output == "tty" else out_end, 1)
    os.dup2(error_end, 2)
    os.closerange(3, 256)
    os.execvp(command[0], command)
os.close(out_end)
os.close(error_end)
if how == "apart":
    os.close(slave)
files = {fd: open(os.path.join(directory, name), "wb", buffering=0) for fd, name in ((master, "tty"), (out, "out"))}
if how == "apart":
    files[errors] = open(os.path.join(directory, "err"), "wb", buffering=0)
signal.signal(signal.SIGTERM, lambda *_: (os.kill(child, signal.SIGKILL), sys.exit(1)))
keys = os.path.join(directory, "keys")
status = None
while files:
    ready, _, _ = select.select(list(files), [], [], 0.05)
    for fd in ready:
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b""
        if data:
            files[fd].write(data)
        else:
            del files[fd]
    if keys and os.path.exists(keys):
        os.write(master, open(keys, "rb").read())
        keys = None
    if status is None:
        ended, code = os.waitpid(child, os.WNOHANG)
        status = code if ended else None
    elif not ready:
        break
if status is None:
    status = os.waitpid(child, 0)[1]
sys.exit(os.waitstatus_to_exitcode(status) & 255)
