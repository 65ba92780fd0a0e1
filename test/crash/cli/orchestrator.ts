// orchestrator: follows the recipe of a strict run: dispatches on exit codes, answers hand-offs, survives deaths.
// It knows what an orchestrator knows: exit code, standard error, and its own edits.
import type { ChildProcess } from "node:child_process"
import { assert } from "vitest"
import type { Bench, Ended, Place } from "./bench.ts"
import { type Edit, edits, type editing } from "./editing.ts"

/** A call that was taken: when it began and ended, and what came of it. */
export interface Taken {
  readonly from: number
  readonly to: number
  readonly mark: string | null
  readonly ended: Ended
  /** The contents of the state root at its beginning. */
  readonly before: ReadonlyMap<string, number>
}

export interface Orchestrated {
  readonly bench: Bench
  readonly place: Place
  readonly flags: ReadonlyArray<string>
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  readonly copy: ReturnType<typeof editing>
  readonly number: () => number
  readonly isOver: () => boolean
  /** How many lines each run has. */
  readonly lines: () => ReadonlyMap<string, number>
  /** Receives each call as soon as it has ended. */
  readonly took: (taken: Taken) => void
}

const refused = /^BinaryError: mark refused: /

/** Calls again and again until the time is over. */
export const orchestrate = async (with_: Orchestrated): Promise<void> => {
  const { bench, copy, cwd, env, flags, isOver, lines, number, place, took } = with_
  const pick = <A>(items: readonly [A, ...ReadonlyArray<A>]): A =>
    items[Math.floor(number() * items.length)] ?? items[0]
  const edit = (): void => copy.edit(pick<Edit>(edits), pick(["one", "two", "three"]))
  const call = async (mark: ReadonlyArray<string>): Promise<Ended> => {
    const [dies, death] = [number() < 0.3, number() * 1500]
    let timer: NodeJS.Timeout | undefined
    const onStart = (child: ChildProcess): void => {
      if (dies) timer = setTimeout(() => child.kill("SIGKILL"), death)
    }
    const [from, before] = [Date.now(), lines()]
    const ended = await bench.run(place, [...flags, ...mark], { cwd, env, onStart })
    clearTimeout(timer)
    took({ from, to: Date.now(), mark: mark[0] ?? null, ended, before })
    return ended
  }
  /** Gives a mark until it is answered; after a death it is given again, or the step is called instead. */
  const answer = async (mark: ReadonlyArray<string>): Promise<void> => {
    while (!isOver()) {
      const { exit, header, signal, stderr } = await call(mark)
      const again = number() < 0.5
      if (signal === null) {
        const red = mark[0] === "--mark-address-failed"
        if (red) assert.strictEqual(exit, 3, `red tests were swallowed: ${stderr}`)
        else {assert.isTrue(
            exit === 7 || exit === 0 || refused.test(header),
            `${mark.join(" ")}: exit ${exit}\n${stderr}`
          )}
        if (number() > 0.1) return
      } else if (!again && mark[0] !== "--mark-address-failed") return
    }
  }
  while (!isOver()) {
    if (number() < 0.05) await call([pick(["--advance-level", "--drop-level", "--restart-from-floor"])])
    if (number() < 0.1) edit()
    const { exit, header, signal, stderr } = await call([])
    if (signal !== null || exit === 7 || exit === 8) continue
    if (exit === 0) {
      edit()
      continue
    }
    // Code that keeps changing: an orchestrator that edits during a review gets this answer, and calls again.
    if (exit === 1 && /target-changed|stale/.test(header)) continue
    assert.strictEqual(exit, 5, stderr)
    const batch = / {4}Answer with: (--batch) (\S+)$/m.exec(stderr)?.slice(1) ?? assert.fail(stderr)
    const kind = header.endsWith("AddressBatch") ? "address" : "retro"
    if (kind === "address") {
      edit()
      await answer([...(number() < 0.15 ? ["--mark-address-failed", "red"] : ["--mark-address-passed"]), ...batch])
    } else if (number() < 0.1) {
      edit()
      await answer(["--mark-retro-changes", "a pattern", ...batch])
    } else await answer(["--mark-retro-clean", ...batch])
  }
}
