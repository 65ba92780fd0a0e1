// TaskCircle: tasks that wait for each other, so that none of them can ever begin.

/** Tasks each of which waits for the next one, and the last one for the first; null where there is no such circle. */
export const circleOf = (dependencies: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> | null => {
  const left = dependencies.map((needed) => needed.length)
  const waiting = dependencies.map((): Array<number> => [])
  dependencies.forEach((needed, task) => needed.forEach((other) => waiting[other]?.push(task)))
  const free = Array.from(left.keys()).filter((task) => left[task] === 0)
  for (const done of free) {
    for (const task of waiting[done] ?? []) {
      const now = (left[task] ?? 0) - 1
      left[task] = now
      if (now === 0) free.push(task)
    }
  }
  // Whatever is left waits for something that is left, so whoever follows it comes round.
  const trail: Array<number> = []
  const places = new Map<number, number>()
  let task = left.findIndex((count) => count > 0)
  if (task < 0) return null
  while (!places.has(task)) {
    places.set(task, trail.length)
    trail.push(task)
    task = dependencies[task]?.find((other) => (left[other] ?? 0) > 0) ?? task
  }
  return trail.slice(places.get(task))
}
