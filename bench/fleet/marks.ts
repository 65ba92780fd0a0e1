// marks: a codex that reports when it begins and ends, and how many of them ran at once according to that.
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const fake = fileURLToPath(new URL("../../../fixtures/fake-codex/codex", import.meta.url))

const lives = (pid: string): boolean => {
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, "latin1"))
  } catch {
    return false
  }
}

/** A folder with such a codex. With `stubborn` true it does not end when it is asked to, only when it is killed. */
export const marking = (stubborn: boolean) => {
  const folder = mkdtempSync(join(tmpdir(), "ooda-marks-"))
  const marks = join(folder, "marks")
  const codex = join(folder, "codex")
  // Both marks are one write each behind all others, so that their order in the file is that in time.
  writeFileSync(
    codex,
    `#!/bin/sh\n${stubborn ? "trap '' TERM\n" : ""}echo "start $$" >>'${marks}'\n'${fake}' "$@"\nended=$?\n` +
      `echo "end $$" >>'${marks}'\nexit $ended\n`
  )
  chmodSync(codex, 0o755)
  const running = new Set<string>()
  let [read, most, begun, gone] = [0, 0, 0, 0]
  /** Counts the reports since the last look. A killed one counts as ended once its process is gone. */
  const look = (): void => {
    const found = [...running].filter((pid) => !lives(pid))
    const text = existsSync(marks) ? readFileSync(marks, "utf8") : ""
    const lines = text.slice(read, text.lastIndexOf("\n") + 1).split("\n").slice(0, -1)
    read = text.lastIndexOf("\n") + 1
    const ends = new Set(lines.filter((line) => line.startsWith("end ")).map((line) => line.slice(4)))
    for (const pid of found.filter((pid) => !ends.has(pid))) {
      running.delete(pid)
      gone++
    }
    for (const line of lines) {
      const [word, pid = ""] = line.split(" ")
      if (word === "start") {
        running.add(pid)
        begun++
      } else running.delete(pid)
      most = Math.max(most, running.size)
    }
  }
  return {
    folder,
    look,
    seen: () => ({ most, begun, gone }),
    remove: () => rmSync(folder, { recursive: true, force: true })
  }
}
