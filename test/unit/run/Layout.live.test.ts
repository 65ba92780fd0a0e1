// Layout: the layout of the state root, name by name, as the contract has it.
import { assert, describe, it } from "vitest"
import {
  logFiles,
  repositoryDirectory,
  runDirectory,
  runsDirectory,
  targetDirectory
} from "../../../src/log/LogFile.live.ts"
import type { RunRef } from "../../../src/log/Refs.ts"
import {
  agentFiles,
  agentScratch,
  agentsDirectory,
  agentWakeDirectory,
  agentWakeFile,
  archivedFiles,
  attemptFiles,
  batchDirectory,
  batchPlaces,
  directoriesTo,
  findingsFile,
  historyFile,
  isAttemptLock,
  isRemovedName,
  keptFile,
  latestFile,
  levelsDirectory,
  removedName,
  runAt,
  runPlaces,
  targetLock,
  testFiles,
  testsDirectory,
  testWakeDirectory,
  testWakeFile,
  wakeDirectory,
  wakeFile,
  workPath
} from "../../../src/run/Layout.live.ts"
import type { BatchRef } from "../../../src/run/Refs.ts"
import { runRef } from "./events.ts"

describe("the layout of the state root", () => {
  const run: RunRef = {
    root: "/state",
    repoId: "repo-0123456789ab",
    targetKey: "base/feature/x",
    runId: "20300102T030405Z-000000006-p7"
  }

  const batch: BatchRef = { run, level: "high", batch: 2 }
  const target = "/state/repo-0123456789ab/base/feature/x"
  const directory = `${target}/runs/20300102T030405Z-000000006-p7`

  describe("the layout", () => {
    it("is <state-root>/<repo-id>/<target-key>, with latest, lock and runs/<run-id>", () => {
      assert.strictEqual(repositoryDirectory(run), "/state/repo-0123456789ab")
      assert.strictEqual(targetDirectory(run), target)
      assert.strictEqual(latestFile(run), `${target}/latest`)
      assert.strictEqual(targetLock(run), `${target}/lock`)
      assert.strictEqual(runsDirectory(run), `${target}/runs`)
      assert.strictEqual(runDirectory(run), directory)
    })

    it("has the directories that lead to a target's runs, outermost first", () =>
      assert.deepStrictEqual(directoriesTo(run), [
        "/state",
        "/state/repo-0123456789ab",
        "/state/repo-0123456789ab/base",
        "/state/repo-0123456789ab/base/feature",
        target,
        `${target}/runs`
      ]))

    it("has history.md, texts, torn and levels/level-<L>/batch-<n> in a run", () => {
      assert.strictEqual(historyFile(run), `${directory}/history.md`)
      assert.strictEqual(keptFile(run, "texts/ab.txt"), `${directory}/texts/ab.txt`)
      assert.strictEqual(keptFile(run, "torn/1-ab"), `${directory}/torn/1-ab`)
      assert.strictEqual(levelsDirectory(run), `${directory}/levels`)
      assert.strictEqual(batchDirectory(batch), `${directory}/levels/level-high/batch-2`)
      assert.strictEqual(findingsFile(batch), `${directory}/levels/level-high/batch-2/findings.md`)
    })

    it("is read back into a run, whatever the name of the branch", () => {
      const names = directory.slice("/state/repo-0123456789ab/".length).split("/")
      assert.deepStrictEqual(runAt("/state", run.repoId, names), run)
      const inRuns = { ...run, targetKey: "base/runs" }
      assert.deepStrictEqual(runAt("/state", run.repoId, ["base", "runs", "runs", run.runId]), inRuns)
      for (const other of [[], ["runs"], ["base", "runs"], ["base", run.runId], ["base", "runs", "notes"]]) {
        assert.isNull(runAt("/state", run.repoId, other))
      }
    })

    it("does not take a directory that is being removed for a run", () => {
      const name = removedName(run.runId)
      assert.isTrue(isRemovedName(name))
      assert.isNull(runAt("/state", run.repoId, ["uncommitted", "runs", name]))
      for (const other of [run.runId, ".removing-", ".removing-notes", `x${name}`]) assert.isFalse(isRemovedName(other))
    })
  })

  describe("the files of a log", () => {
    it("of reviews have the contract's names", () =>
      assert.deepStrictEqual(logFiles(run, "review"), {
        directory,
        log: `${directory}/manifest.jsonl`,
        head: `${directory}/head.json`,
        newHead: `${directory}/head.json.new`,
        lock: `${directory}/lock`,
        torn: `${directory}/torn`
      }))

    it("of another kind are beside them, with other names", () => {
      const [reviews, converge] = [logFiles(run, "review"), logFiles(run, "converge")]
      assert.strictEqual(converge.log, `${directory}/converge.jsonl`)
      const names = [...Object.values(reviews), ...Object.values(converge)]
      assert.strictEqual(new Set(names).size, names.length - 1)
    })

    it.each(["manifest", "", "../x", "a/b", "Converge", "latest.log"])(
      "do not exist for a kind named %j",
      (kind) => assert.throws(() => logFiles(run, kind), /no kind of log can be called/)
    )
  })

  describe("the places that are printed", () => {
    it("are for a run its directory, its history and the patterns of its reviewers' and agents' transcripts", () => {
      const { agentTranscript, ...places } = runPlaces(run)
      assert.deepStrictEqual(places, {
        directory,
        history: `${directory}/history.md`,
        transcripts: `${directory}/levels/level-<L>/batch-<n>/<L>-<slot>.log`
      })
      assert.strictEqual(agentTranscript({ agent: 2, attempt: 3 }), `${directory}/agents/2/3.log`)
    })

    it("are for a batch its directory, its findings and the files of every slot", () => {
      const at = `${directory}/levels/level-high/batch-2`
      assert.deepStrictEqual(batchPlaces(batch, 2), {
        directory: at,
        findings: `${at}/findings.md`,
        transcripts: `${at}/high-1.log to high-2.log`,
        slots: [
          { log: `${at}/high-1.log`, out: `${at}/high-1.out`, review: `${at}/high-1.review.json` },
          { log: `${at}/high-2.log`, out: `${at}/high-2.out`, review: `${at}/high-2.review.json` }
        ]
      })
      assert.strictEqual(batchPlaces(batch, 1).transcripts, `${at}/high-1.log`)
    })
  })

  describe("the files of an attempt", () => {
    const at = `${directory}/levels/level-high/batch-2`
    const review = (slot: number, attempt: number) => ({ ...batch, slot, attempt })

    it("have the contract's names, the same for every attempt except its journal and lock", () => {
      assert.deepStrictEqual(attemptFiles(review(3, 1)), {
        log: `${at}/high-3.log`,
        out: `${at}/high-3.out`,
        exit: `${at}/high-3.exit`,
        review: `${at}/high-3.review.json`,
        journal: `${at}/high-3.1.run`,
        lock: `${at}/high-3.1.lock`
      })
      assert.deepStrictEqual(attemptFiles(review(3, 2)), {
        ...attemptFiles(review(3, 1)),
        journal: `${at}/high-3.2.run`,
        lock: `${at}/high-3.2.lock`
      })
    })

    it("have the number of the attempt in their names once it was archived", () =>
      assert.deepStrictEqual(archivedFiles(review(1, 2)), {
        log: `${at}/high-1.2.log`,
        out: `${at}/high-1.2.out`,
        exit: `${at}/high-1.2.exit`,
        review: `${at}/high-1.2.review.json`
      }))

    it("share one file per slot that is touched when an attempt ends, in a directory of the batch", () => {
      assert.strictEqual(wakeFile(review(3, 1)), `${wakeDirectory(batch)}/3`)
      assert.strictEqual(wakeFile(review(3, 2)), `${at}/wake/3`)
    })

    it("have a lock that is recognised by its name", () => {
      assert.isTrue(isAttemptLock("high-1.2.lock"))
      for (const name of ["high-1.2.run", "high-1.log", "lock"]) assert.isFalse(isAttemptLock(name))
    })
  })

  describe("the files of an agent", () => {
    const attempt = { run, agent: 3, attempt: 2, id: "a-b", kind: "codex" } as const

    it("are in one directory per agent, named by the attempt", () => {
      assert.strictEqual(agentsDirectory(run), `${directory}/agents`)
      assert.deepStrictEqual(agentFiles(attempt), {
        log: `${directory}/agents/3/2.log`,
        out: `${directory}/agents/3/2.out`,
        exit: `${directory}/agents/3/2.exit`,
        journal: `${directory}/agents/3/2.run`,
        lock: `${directory}/agents/3/2.lock`,
        prompt: `${directory}/agents/3/2.prompt`,
        schema: `${directory}/agents/3/2.schema.json`
      })
    })

    it("include a scratch directory for the agent itself, and one for processes that wait for its end", () => {
      assert.strictEqual(agentScratch(attempt), `${directory}/agents/3/tmp`)
      assert.strictEqual(agentWakeFile(attempt), `${agentWakeDirectory(attempt)}/2`)
      assert.strictEqual(agentWakeDirectory(attempt), `${directory}/agents/3/wake`)
    })
  })

  it("a work path is the same however it is written", () => {
    for (const path of ["/srv/ooda", "/srv/ooda/", "//srv/./ooda", "/srv/x/../ooda"]) {
      assert.strictEqual(workPath(path), "/srv/ooda")
    }
  })
})

describe("agents and tests", () => {
  it("have places in their run that do not overlap", () => {
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
})
