import { describe, expect, test } from 'vitest'
import { HatcheryWorld } from '../testing/hatchery-world.ts'

describe('a script that runs before the worker', () => {
  const withScript = (exit: number | undefined) => {
    const scripts = new Map([['debian12', 'mount /cache']])
    const world = new HatcheryWorld({ settings: { preStartScripts: scripts } })
    const play = world.vcenter.programHook!
    const order: string[] = []
    world.vcenter.onProgram(program => {
      if (!program.args.includes('mount /cache')) {
        if (program.environment['CDS_CONFIG'] !== undefined) order.push('worker')
        return play(program)
      }
      world.clock.after(20_000, () => {
        order.push('script')
        if (exit !== undefined) program.exit(exit)
      })
    })
    return { world, order }
  }

  test('is waited for', async () => {
    const { world, order } = withScript(0)
    await world.start()
    const job = world.addJob()
    await world.until(() => job.status === 'Success')
    expect(order).toEqual(['script', 'worker'])
  })

  test.each([
    { exit: 3, says: 'the pre-start script of image "debian12" ended with 3' },
    { exit: undefined, says: 'did not end within 2m' },
  ])('and ends with $exit takes everything back', async ({ exit, says }) => {
    const { world } = withScript(exit)
    await world.start()
    const job = world.addJob()
    await world.until(() => world.told(job).some(line => line.startsWith('error')))
    expect(world.told(job).find(line => line.startsWith('error'))).toContain(says)
    await world.until(() => job.status === 'Waiting' && world.vms().length === 0, 60)
  })
})
