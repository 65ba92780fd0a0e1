// machine: two programs that imitate a machine without /proc. `node` hides it from itself and all that it starts;
// there `ps` understands the options of macOS alone, and answers what the system's own ps sees.
import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const script = (path: string, text: string): void => {
  writeFileSync(path, text)
  chmodSync(path, 0o755)
}

export const setup = (): () => void => {
  const directory = mkdtempSync(join(tmpdir(), "ooda-noproc-"))
  // Other users run the program too.
  chmodSync(directory, 0o755)
  const [node, ps, proc] = [join(directory, "node"), join(directory, "ps"), join(directory, "proc")]
  const pathOf = (name: string) => execFileSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" }).trim()
  const system = pathOf("ps")
  mkdirSync(proc)
  copyFileSync(system, `${ps}-of-the-system`)
  chmodSync(`${ps}-of-the-system`, 0o755)
  // Tests start the program with a PATH that has neither.
  const [unshare, mount] = [pathOf("unshare"), pathOf("mount")]
  const alone = process.getuid?.() === 0 ? `${unshare} -m` : `${unshare} -rm`
  script(
    ps,
    `#!/bin/sh
case "$*" in
  "-A -E -ww -o "*) shift 3; set -- axeww "$@" ;;
  "-A -o "* | "-o "* | "-ww -o "*) ;;
  *) echo "ps: illegal option" >&2; exit 1 ;;
esac
exec ${unshare} -m /bin/sh -c '${mount} --bind ${proc} /proc && exec ${ps}-of-the-system "$@"' ps "$@"
`
  )
  script(
    node,
    `#!/bin/sh
[ -e /proc/self/stat ] || exec ${process.execPath} "$@"
exec ${alone} /bin/sh -c '
${mount} --bind /proc ${proc} && ${mount} --bind ${ps} ${system} && ${mount} -t tmpfs none /proc || exit 99
exec ${process.execPath} "$@"' node "$@"
`
  )
  const tried = spawnSync(node, ["-e", "process.exit(require('fs').existsSync('/proc/self') ? 1 : 0)"])
  if (tried.status !== 0) throw new Error(`/proc cannot be hidden here: ${tried.stderr}`)
  process.env["OODA_NODE_WITHOUT_PROC"] = node
  return () => rmSync(directory, { recursive: true })
}
