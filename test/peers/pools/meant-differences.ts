/** Differences from Hive's CRDs that are meant, by what they look like, each with its reason. */
export const meant: readonly { readonly at: RegExp; readonly why: string }[] = [
  {
    at: /^ClusterPool spec\.inventory: array there, object here$/,
    why: 'the inventory is the object of the specification; the embedded engine takes the list form and brings it into this one',
  },
  {
    at: /(Ref|Customization)\.name: must be there$/,
    why: 'a reference without a name refers to nothing: Hive takes it and fails later',
  },
  {
    at: /^\w+ status\.conditions\[\]\.(reason|message|lastTransitionTime): must be there$/,
    why: 'every condition here says why and since when; conditions are written by controllers only',
  },
  {
    at: /^\w+ status\.conditions\[\]\.(lastProbeTime|lastHeartbeatTime): not here$/,
    why: 'a time that moves without anything having happened would be a write without end',
  },
  { at: /^\w+ status\.conditions\[\]\.status: takes certain values only$/, why: 'True, False or Unknown, as everywhere' },
  { at: /^ClusterClaim spec\.subjects\[\]\.kind: takes certain values only$/, why: 'User, Group or ServiceAccount: RBAC knows no others' },
  {
    at: /^ClusterDeploymentCustomization spec\.installConfigPatches\[\]\.op: takes certain values only$/,
    why: 'the operations of RFC 6902; Hive takes others and fails when it applies them',
  },
  { at: /^ClusterProvision spec\.stage: takes certain values only$/, why: 'the four stages; Hive refuses others by its webhook' },
  {
    at: /(Ref|Customization)\.(name|key): (minLength 1|maxLength 253)$/,
    why: 'no object has an empty name, nor a longer one; the same goes for the keys of Secrets and ConfigMaps',
  },
  {
    at: /\.(clusterPoolName|poolName|claimName|prevProvisionName|apiGroup|baseDomain): maxLength 253$/,
    why: 'names of objects, of API groups and of domains are no longer',
  },
  { at: /\.(namespace|clusterName): maxLength 63$/, why: 'a label of DNS is no longer' },
  {
    at: /\.(clusterPoolName|poolName|namespace|clusterName|baseDomain|region|cloud|infraID|releaseImage|subjects\[\]\.name): minLength 1$/,
    why: 'an empty one is none; Hive takes it and fails later',
  },
  { at: /\.(lifetime|default|maximum|hibernateAfter|resumeTimeout): maxLength 64$/, why: 'every length of time can be written shorter' },
  { at: /^ClusterClaim status\.lifetime: pattern /, why: 'as in the spec, where Hive has the same pattern' },
  {
    at: /\.(infraID|clusterID|prevInfraID|prevClusterID|region|cloud|vCenter|subjects\[\]\.name): maxLength 256$/,
    why: 'nothing identifies itself by more',
  },
  { at: /\.(releaseImage|installerImageOverride|path|from): maxLength 1024$/, why: 'neither an image nor a pointer is longer' },
  { at: /\.installLog: maxLength 1000000$/, why: 'etcd takes no larger objects' },
  { at: /\.(subjects|installerEnv|installConfigPatches): maxItems 256$/, why: 'a rule in CEL must know how much there may be' },
  { at: /\.(installAttemptsLimit|maxSize|maxConcurrent|attempt): minimum 0$/, why: 'there is nothing below nothing' },
  { at: /^ClusterProvision spec\.attempt: maximum 2147483647$/, why: 'that many attempts take longer than anybody waits' },
  {
    at: /^\w+ status\.conditions\[\]\.(type|reason|message): (minLength 1|maxLength \d+)$/,
    why: 'the limits of Kubernetes’ own conditions',
  },
  { at: /^ClusterImageSet spec\.releaseImage: pattern /, why: 'Hive refuses the same by its webhook' },
  { at: /\.installerEnv\[\]\.name: (minLength 1|maxLength 253|pattern .*)$/, why: 'what Kubernetes takes in a Pod; here there is none' },
  {
    at: /\.installerEnv\[\]\.valueFrom\.(fieldRef|resourceFieldRef): not here$/,
    why: 'there is no Pod whose fields a variable could take: refused instead of left empty',
  },
]
