import { Secret } from '../../ports/index.ts'

/** A secret that knows the file it was read from, for those who must notice when it is replaced there. */
export class FileSecret extends Secret {
  readonly file: string

  constructor(value: string, file: string) {
    super(value)
    this.file = file
  }
}
