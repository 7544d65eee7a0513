import { z } from 'zod'
import { jwtAlgorithms } from '../../access/index.ts'
import { section } from './section.ts'
import { bytes, path } from './setting.ts'

/** Plain HTTP only to this very machine. */
const trustworthyUrl = () =>
  z.string().regex(/^(https:\/\/[^/]|http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/])/, 'must be a URL that begins with https://')

const issuer = z.strictObject({
  url: trustworthyUrl().describe(
    'The issuer, exactly as its tokens say it in `iss`. Its keys are found through /.well-known/openid-configuration.',
  ),
  audiences: z.array(z.string().min(1)).min(1).describe('A token must be meant for one of these (`aud`).'),
  algorithms: z
    .array(z.enum(jwtAlgorithms))
    .min(1)
    .prefault(['RS256', 'ES256'])
    .describe('The signatures to accept. There is no way to accept unsigned tokens or shared keys.'),
  jwksUrl: trustworthyUrl().optional().describe('Where the keys are, if the issuer has no discovery document.'),
  ca: path().optional().describe('The authority (PEM) of the issuer’s certificate, if it is not one that the system trusts.'),
  userClaim: z
    .string()
    .min(1)
    .prefault('sub')
    .describe('The claim that names the user. `email` counts only if `email_verified` is not false.'),
  userPrefix: z
    .string()
    .optional()
    .describe(
      'Put before the user’s name, so that two issuers cannot name one user. Absent: the issuer’s URL and `#`, or nothing for `email`.',
    ),
  groupsClaim: z.string().min(1).prefault('groups').describe('The claim that lists the user’s groups.'),
  groupsPrefix: z.string().prefault('').describe('Put before each group’s name. Groups that begin with `system:` are always left out.'),
  requiredClaims: z.record(z.string(), z.string()).prefault({}).describe('Claims that a token must carry with exactly these values.'),
})

/** Who may come in, how often, and what is written down about it. */
export const accessSection = section({
  name: 'access',
  describe:
    'Only for the embedded engine: who may come in, how often they may ask, and what is written down about it. Who may do what is not ' +
    'configuration: it is in AccessGrant objects. On the kubernetes engine the cluster’s own rules hold.',
  schema: z.strictObject({
    localAdmin: z
      .boolean()
      .prefault(true)
      .describe('Keep an administrator’s token in DATADIR/kubeconfig. Remove that file and restart to replace the token.'),
    anonymous: z
      .array(z.enum(['health', 'version', 'metrics']))
      .prefault(['health', 'version'])
      .describe('What may be read without a token: /healthz, /livez and /readyz; /version; /metrics.'),
    issuers: z
      .array(issuer)
      .refine(list => new Set(list.map(({ url }) => url)).size === list.length, { error: 'has the same url twice' })
      .prefault([])
      .describe('Issuers of JSON web tokens (OpenID Connect) whose users may come in.'),
    limits: z
      .strictObject({
        requestsPerSecond: z.number().min(0).prefault(500).describe('Per user, in the long run. 0 means no limit.'),
        burst: z.int().min(1).prefault(1000).describe('Per user, at once after a quiet time.'),
        bodies: bytes({ max: 1024 ** 3 })
          .prefault('64MiB')
          .describe('Per user, of bodies that are on their way at once. One body alone always passes.'),
      })
      .prefault({})
      .describe(
        'How often one user may ask, and how much they may send at once. Who brings no good token counts by address. Nobody is held ' +
          'back at /healthz, /livez and /readyz, and the group `system:masters` nowhere.',
      ),
    audit: z
      .strictObject({
        log: z
          .enum(['all', 'writes', 'off'])
          .prefault('all')
          .describe('Which requests are written to DATADIR/audit: all, only those that change something, or none.'),
        maxFileSize: bytes({ max: 256 * 1024 ** 2 })
          .prefault('20MiB')
          .describe('A new file is begun when one is this large.'),
        maxFiles: z.int().min(1).max(1000).prefault(10).describe('How many files are kept.'),
      })
      .prefault({})
      .describe('The audit log: one line of JSON a request with who, what, when and the outcome; never the content of an object.'),
  }),
})
