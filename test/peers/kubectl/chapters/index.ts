import type { Chapter } from '../step.ts'
import { about } from './about.ts'
import { applying } from './applying.ts'
import { builtInKinds } from './built-in-kinds.ts'
import { changing } from './changing.ts'
import { deleting } from './deleting.ts'
import { making } from './making.ts'
import { reading } from './reading.ts'
import { waiting } from './waiting.ts'

/** The whole suite, in the order in which it runs. */
export const chapters: readonly Chapter[] = [making, reading, applying, changing, deleting, waiting, builtInKinds, about]
