// onlyRun: the one run of a store that belongs to a test, and the paths of its files.
import { join } from "node:path"
import { logFiles } from "../../../src/log/LogFile.live.ts"
import type { RunRef } from "../../../src/log/Refs.ts"

/** The run. */
export const onlyRun = (root: string): RunRef => ({
  root,
  repoId: "repo",
  targetKey: "uncommitted",
  runId: "20261120T101112Z-000000001-p7"
})

/** A file of the run by its name, or the run's directory. */
export const fileOf = (root: string, name = ""): string => join(logFiles(onlyRun(root), "review").directory, name)
