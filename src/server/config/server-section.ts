import { z } from 'zod'
import { section } from './section.ts'
import { address, duration, path, secret } from './setting.ts'

/** Where the program listens, what it shows there, and where it keeps its data. */
export const serverSection = section({
  name: 'server',
  describe: 'Where the program listens, the certificate that it shows there, and the folder that holds all it must keep.',
  schema: z.strictObject({
    listen: address()
      .prefault('127.0.0.1:7443')
      .describe('Where to listen. `0.0.0.0:7443` listens on all addresses; port 0 takes any free port.'),
    url: z
      .url({ protocol: /^https$/, error: 'must be a URL that begins with https://' })
      .optional()
      .describe('The URL that is written into the kubeconfig, if clients reach the server by another name than the one it listens on.'),
    dataDir: path()
      .prefault('data')
      .describe('The folder with the database, the certificate authority, the audit log and the kubeconfig. One process at a time.'),
    stopTimeout: duration({ min: '1s', max: '10m' })
      .prefault('20s')
      .describe('How long requests and controllers that are under way may take to finish when the program is asked to stop.'),
    tls: z
      .strictObject({
        names: z
          .array(z.string().min(1))
          .prefault([])
          .describe(
            'Further DNS names and IP addresses for the certificate, besides the listen address, localhost, 127.0.0.1, ::1 and the host name.',
          ),
        certificate: path()
          .optional()
          .describe(
            'A certificate (PEM, the chain after it) to show instead of one from the built-in authority. A new one in the file is shown ' +
              'within a minute.',
          ),
        key: secret().optional().describe('The private key (PEM) of `certificate`. In a file, it may be replaced with the certificate.'),
        ca: path()
          .optional()
          .describe(
            'The authority (PEM) that clients need to trust `certificate`; it is written into the kubeconfig. Absent: the system’s.',
          ),
      })
      .refine(tls => (tls.certificate === undefined) === (tls.key === undefined), {
        error: 'needs both `certificate` and `key`, or neither',
      })
      .prefault({})
      .describe(
        'TLS is always on. Without these keys the server makes its own authority in the data folder and renews its certificate itself.',
      ),
  }),
})
