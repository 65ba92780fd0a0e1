// Tests.live: the project's tests as processes, each guarded by a wrapper that outlives the driver.
import { existsSync, fstatSync } from "node:fs"
import { dirname } from "node:path"
import { Effect, Layer } from "effect"
import type { TestRef } from "../log/Refs.ts"
import { Environment, withCallersPath, withoutRepository } from "../platform/Environment.ts"
import { type TestEnd, TestFault, type TestOrder, Tests } from "./Tests.ts"
import { makeDirectories, sliceOf, textOf, withFile } from "../platform/Files.ts"
import { listen, makeGuard } from "../platform/guard/Guard.ts"
import { type GuardFault, type Job, type Order, type Sighting, trySync } from "../platform/guard/Job.ts"
import type { Transcript } from "../platform/guard/Look.ts"
import { digestOf, digestOfFile } from "../run/SmallFile.live.ts"
import { testFiles, testWakeDirectory, testWakeFile } from "../run/Layout.live.ts"

// Milliseconds between two looks at a living test.
const lookEvery = 1000
const tailBytes = 16 * 1024
const mostBytes = 1024 * 1024 * 1024

// Silence of a test means nothing.
const transcript: Transcript = { file: "out", alone: true, stalledTail: () => null }

const jobOf = (test: TestRef): Job => ({ id: test.id, files: testFiles(test) })
const doing = (verb: string, { test }: TestRef): string => `${verb} test ${test}`
const faultOf = ({ reason, what }: GuardFault): TestFault => new TestFault({ what, reason })

// Standard error goes where standard output goes, so that both keep the order in which they were written.
const command = (line: string): Order["command"] => ["/bin/sh", "-c", `exec 2>&1; exec /bin/sh -c "$1"`, "sh", line]

/** The last bytes of the output, from the beginning of a character on. */
const tailOf = (fd: number): string => {
  const { size } = fstatSync(fd)
  return textOf(sliceOf(fd, Math.max(0, size - tailBytes), Math.min(size, tailBytes)))
}

const endOf = (test: TestRef, over: Extract<Sighting, { readonly _tag: "Exited" }>): TestEnd => {
  const { out } = testFiles(test)
  const exit = over.deadline && over.status !== 0 ? null : over.status
  if (!existsSync(out)) return { exit, output: digestOf(Buffer.alloc(0)), tail: "" }
  return withFile(out, (fd) => ({ exit, output: digestOfFile(fd), tail: tailOf(fd) }))
}

const make = (): typeof Tests.Service => {
  const guard = makeGuard(transcript)
  const attempted = <A>(what: string, step: () => A) => Effect.mapError(trySync(what, step), faultOf)
  return Tests.of({
    start: Effect.fn("Tests.start")(function*(test: TestRef, { command: line, cwd, timeout }: TestOrder) {
      const what = doing("starting", test)
      const wake = testWakeFile(test)
      yield* attempted(what, () => makeDirectories(dirname(wake)))
      const order: Order = {
        ...jobOf(test),
        label: what,
        command: command(line),
        cwd,
        line: null,
        environment: withoutRepository(yield* withCallersPath(yield* Environment)),
        input: null,
        wake,
        deadline: timeout,
        maxBytes: mostBytes,
        tied: false,
        earlier: []
      }
      yield* Effect.mapError(guard.launch([order], what), faultOf)
    }),
    follow: Effect.fn("Tests.follow")(function*(test: TestRef) {
      const what = doing("following", test)
      const job = jobOf(test)
      const ear = yield* listen(testWakeDirectory(test))
      for (;;) {
        const [sighting] = yield* Effect.mapError(guard.look([job], what, { acting: true }), faultOf)
        if (sighting?._tag === "Exited") return yield* attempted(what, () => endOf(test, sighting))
        if (sighting?._tag !== "Alive") return null
        yield* ear([job.files.exit], lookEvery)
      }
    }, Effect.scoped),
    stop: Effect.fn("Tests.stop")((tests: ReadonlyArray<TestRef>) =>
      Effect.mapError(guard.stop(tests.map(jobOf), `stopping ${tests.length} test(s)`), faultOf)
    ),
    place: (run, test) => testFiles({ run, test }).out
  })
}

/** The tests of this machine. */
export const layer: Layer.Layer<Tests> = Layer.sync(Tests, make)
