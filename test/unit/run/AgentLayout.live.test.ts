// AgentLayout: agents and tests of a run have places of their own, one for each number.
import { assert, it } from "vitest"
import {
  agentFiles,
  agentScratch,
  agentsDirectory,
  testFiles,
  testsDirectory,
  testWakeDirectory,
  testWakeFile
} from "../../../src/run/Layout.live.ts"
import { runDirectory } from "../../../src/log/LogFile.live.ts"
import { runRef } from "./events.ts"

it("the places of agents and of tests lie in their run, apart from one another", () => {
  const run = runRef()
  const test = { run, test: 2 }
  const files = Object.values(testFiles(test))
  assert.strictEqual(new Set(files).size, files.length)
  for (const file of files) assert.isTrue(file.startsWith(`${testsDirectory(run)}/2/`), file)
  assert.isTrue(testsDirectory(run).startsWith(`${runDirectory(run)}/`))
  assert.isTrue(testWakeFile(test).startsWith(`${testWakeDirectory(test)}/`))
  assert.notStrictEqual(testsDirectory(run), agentsDirectory(run))
  assert.isTrue(agentScratch({ run, agent: 1 }).startsWith(agentsDirectory(run)))
  assert.notDeepEqual(testFiles({ run, test: 1 }), testFiles(test))
  assert.strictEqual(agentFiles({ run, agent: 1, attempt: 3 }).prompt, `${agentsDirectory(run)}/1/3.prompt`)
})
