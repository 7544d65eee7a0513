/** A patch that cannot be applied to this object. The message says which operation and why. */
export class JsonPatchError extends Error {}
