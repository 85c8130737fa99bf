/// What the reader takes from a file it doesn't trust. Every limit is checked before memory is asked for.
public struct GLTFLimits: Equatable, Sendable {
    /// Nesting of JSON arrays and objects. Default 128; glTF itself needs about 10, extras may go deeper.
    public var jsonDepth = 128
    /// JSON values, keys included. Default 2²⁴.
    public var jsonValues = 1 << 24
    /// Nodes below nodes. Default 512.
    public var nodeDepth = 512
    /// Nodes of all scenes together; a node that two scenes show counts twice. Default 2²⁰.
    public var nodes = 1 << 20
    /// Elements of an accessor that has no bytes in the file (all zeros, or sparse over zeros). Default 2²².
    public var unbackedElements = 1 << 22
    /// Bytes that decoded accessors may take, as a multiple of the bytes that the file's buffers hold. Default 32.
    public var decodedBytesPerBufferByte = 32
    /// Bytes that decoded accessors may take in any case. Default 2²⁸.
    public var decodedBytes = 1 << 28
    /// Steps over data that parts of the file share and each reader of it goes through again: vertices by attribute and primitive, keys by
    /// animation channel. Default 2³⁰.
    public var steps = 1 << 30
    /// Default 1,024.
    public var scenes = 1024
    /// Names in `extensionsUsed` and in `extensionsRequired`. Default 1,024.
    public var extensions = 1024
    /// Material variants (KHR_materials_variants). Default 1,024.
    public var variants = 1024
    /// Attributes of a primitive. Default 256.
    public var attributes = 256
    /// Bytes of all files beside the model together. Default 2³¹ − 1.
    public var resourceBytes = Int(Int32.max)
    /// Whether `resolve` is called for paths that are absolute or contain `..`; it must then check them itself. Default false: such paths are
    /// refused.
    public var resolvesOutsidePaths = false
    /// Warnings that are kept; the rest is counted. Default 1,000.
    public var warnings = 1000

    public init() {}
}
