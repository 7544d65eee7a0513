import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Aviary } from '../../server/index.ts'
import { Usage } from '../errors.ts'
import { hatcheryIn } from '../hatchery-settings.ts'
import type { Io } from '../io.ts'
import { serve } from '../serve.ts'

interface RunOptions {
  readonly config?: string
  readonly dataDir?: string
  readonly listen?: string
}

/** `aviary hatchery --config FILE`: the hatchery alone, on the file that a CDS operator has. */
export async function run(_args: readonly string[], { config: file, dataDir, listen }: RunOptions, io: Io): Promise<number> {
  if (file === undefined)
    throw Usage({ what: 'there is no --config', fix: 'name the file of your CDS hatchery: aviary hatchery --config cds.toml' })
  // What is kept there is of use only while spawns are under way: without a folder of its own the program goes without it.
  const folder = dataDir ?? join(tmpdir(), `aviary-hatchery-${io.chance.suffix(8)}`)
  try {
    return await serve(
      {
        file,
        overrides: [
          { key: 'server.dataDir', value: folder, from: '--data-dir' },
          ...(listen === undefined ? [] : [{ key: 'server.listen', value: listen, from: '--listen' }]),
        ],
        check: config => void hatcheryIn(config, file),
        greeting: aviary => greeting(aviary, dataDir),
        endsWithHatchery: true,
      },
      io,
    )
  } finally {
    if (dataDir === undefined) await io.files.remove(folder)
  }
}

function greeting({ kubeconfig }: Aviary, dataDir: string | undefined): string {
  const given = `--kubeconfig ${kubeconfig}`
  return [
    'The hatchery is starting: it signs in to CDS and reads the vCenter. Ctrl-C ends it; its VMs and workers stay.',
    ...(dataDir === undefined ? ['Nothing is kept between two runs; with --data-dir DIR spawns under way are.'] : []),
    'In another terminal:',
    '',
    `  aviary hatchery workers --watch ${given}`,
    `  aviary why job/ID ${given}`,
    '',
    '',
  ].join('\n')
}
