/// Limits for untrusted glTF files. The reader checks each limit before it allocates memory, and throws `GLTFError.Reason.limit`.
package struct GLTFLimits: Equatable, Sendable {
    /// The greatest nesting depth of JSON arrays and objects. Default 128; glTF itself needs about 10, but extras may be deeper.
    package var jsonDepth = 128
    /// The greatest number of JSON values, including keys. Default 2²⁴.
    package var jsonValues = 1 << 24
    /// The greatest depth of the node hierarchy. Default 512.
    package var nodeDepth = 512
    /// The greatest number of nodes in all scenes together. A node in two scenes counts twice. Default 2²⁰.
    package var nodes = 1 << 20
    /// The greatest number of elements of an accessor without a buffer view (all zeros, or sparse values over zeros). Default 2²².
    package var unbackedElements = 1 << 22
    /// The greatest size of all decoded accessors, as a multiple of the size of the file's buffers. Default 32.
    package var decodedBytesPerBufferByte = 32
    /// The size in bytes up to which decoded accessors are always allowed. Default 2²⁸.
    package var decodedBytes = 1 << 28
    /// The greatest number of values to process, counting shared data once for each use: vertices times attributes of every primitive, keys of
    /// every animation channel. Default 2³⁰.
    package var steps = 1 << 30
    /// The greatest number of scenes. Default 1,024.
    package var scenes = 1024
    /// The greatest number of names in `extensionsUsed` and in `extensionsRequired`. Default 1,024.
    package var extensions = 1024
    /// The greatest number of material variants (KHR_materials_variants). Default 1,024.
    package var variants = 1024
    /// The greatest number of attributes of a primitive. Default 256.
    package var attributes = 256
    /// The greatest size in bytes of all files that the model refers to, together. Default 2³¹ − 1.
    package var resourceBytes = Int(Int32.max)
    /// Whether to pass absolute paths and paths with `..` to the resolver, which must then check them. If false, the reader rejects them.
    /// Default false.
    package var resolvesOutsidePaths = false
    /// The greatest number of warnings to store; further ones are only counted. Default 1,000.
    package var warnings = 1000

    /// Creates the default limits.
    package init() {}
}
