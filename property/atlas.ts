// atlas: merges equivalent worlds, so that the result of a move is computed once for all of them.
// Two worlds are equivalent if no later answer to anyone could distinguish them.
import { reviewsWithIssues } from "../src/run/Batch.ts"
import { levels } from "../src/run/Level.ts"
import { pastOf, type World } from "../test/unit/run/strictWorld.ts"

const batchKey = ({ manifest: { batch } }: World): string => {
  if (batch._tag === "NotStarted") return "-"
  const { completed, identity, slots, stopped } = batch
  return [identity.tree, completed?.tree, stopped, slots[0]?._tag, slots[0]?.attempts].join()
}

const levelKeys = ({ manifest: { level_history, opened, strict }, seen }: World): ReadonlyArray<unknown> =>
  levels.flatMap((level) => {
    const [last, saw] = [strict?.last[level] ?? null, seen[level]]
    const shown = last === null ? "" : [last.batch, last.withIssues, last.began.tree, last.completed.tree, last.voided]
    const records = level_history.filter((record) => record.level === level)
    const answers = records.map(({ batch_number, outcome }) => `${batch_number}${outcome._tag}`)
    return [opened[level], shown, saw === null ? "" : [saw.clean, saw.code, saw.voided], answers.join(" "), ";"]
  })

/** Past batches as far as a late answer depends on them: red tests on issues, patterns on what was left clean. */
const pastKey = (world: World): string =>
  [world, ...world.old].map((run) =>
    pastOf(run).map(({ batch, left, level, number }) =>
      batch.completed === null ? "" : `${level}${number}${reviewsWithIssues(batch)}${left}`
    ).join(" ")
  ).join(";")

const keyOf = (world: World): string => {
  const { batch_number, current_level, fixed_point, strict } = world.manifest
  const { code, dismissed, run, under } = world
  const at = [run, code, under, dismissed, current_level, batch_number, fixed_point?.ceiling, strict?.retrospected]
  return [at, batchKey(world), levelKeys(world), pastKey(world)].join("|")
}

interface Known {
  readonly world: World
  readonly id: number
  readonly found: Map<string, unknown>
}

/** An atlas with nothing in it. */
export const makeAtlas = () => {
  const byKey = new Map<string, Known>()
  const byWorld = new WeakMap<World, Known>()
  const known = (world: World): Known => {
    const before = byWorld.get(world)
    if (before !== undefined) return before
    const key = keyOf(world)
    const one = byKey.get(key) ?? { world, id: byKey.size, found: new Map() }
    byKey.set(key, one)
    byWorld.set(world, one)
    return one
  }
  /** What a move of this name comes to in worlds like this one. */
  const once = <A>(world: World, move: string, make: (world: World) => A): A => {
    const { found, world: same } = known(world)
    if (!found.has(move)) found.set(move, make(same))
    return found.get(move) as A
  }
  return {
    once,
    /** The number that worlds like this one have. */
    idOf: (world: World): number => known(world).id,
    /** The representative of all worlds that are equivalent to this one. */
    same: (world: World): World => known(world).world
  }
}
