import VitrineMath

/// The state that all parts of the importer share: the parsed document, the limits and their use, and the warnings.
final class GLTFContext {
    let document: JSONDocument
    let limits: GLTFLimits
    let decoders: GLTFDecoders
    let supportedExtensions: [String]
    /// The file's `extensionsUsed`. Set once by `GLTFHeader`, before other parts read.
    var declaredExtensions: [String] = []

    private(set) var warnings: [GLTFWarning]
    private var omittedWarnings = 0
    private var steps = 0
    private var decodedBytes = 0
    /// The size of the file's buffers in bytes: `decodedBytes` may be at most a multiple of it.
    private var bufferBytes = 0

    init(_ document: JSONDocument, limits: GLTFLimits, decoders: GLTFDecoders, warnings: [GLTFWarning]) {
        (self.document, self.limits, self.decoders, self.warnings) = (document, limits, decoders, warnings)
        supportedExtensions = decoders.supportedExtensions
    }

    var usesQuantization: Bool { declaredExtensions.contains("KHR_mesh_quantization") }

    // MARK: Warnings

    func warn(_ location: JSONValue, _ message: String) {
        guard warnings.count < limits.warnings else {
            omittedWarnings += 1
            return
        }
        warnings.append(GLTFWarning(location: location.pointer, message: message))
    }

    /// Appends the number of warnings over the limit. Call it once, after the last part has read.
    func finishWarnings() {
        if omittedWarnings > 0 { warnings.append(GLTFWarning(message: "\(omittedWarnings) more warnings")) }
    }

    // MARK: Limits

    func limitFailure(_ location: JSONValue, _ text: String) -> GLTFError {
        GLTFError(file: document.name, location: .property(location.pointer), reason: .limit(text))
    }

    /// Counts work on data that several parts of the file may share.
    ///
    /// - Throws: `.limit` once all work exceeds `GLTFLimits.steps`.
    func spend(_ count: Int, times: Int = 1, at location: JSONValue) throws(GLTFError) {
        let (product, overflow) = count.multipliedReportingOverflow(by: times)
        guard !overflow, product <= limits.steps - steps else {
            throw limitFailure(location, "processing the data takes more than \(limits.steps) steps")
        }
        steps += product
    }

    /// Raises the memory limit in proportion to a buffer that has been read.
    func addBufferBytes(_ count: Int) { bufferBytes += count }

    /// Counts memory for decoded values. Call it before allocating.
    ///
    /// - Throws: `.limit` if all decoded values together exceed the limits.
    func reserve(bytes: Int, for json: JSONValue) throws(GLTFError) {
        let (scaled, overflow) = bufferBytes.multipliedReportingOverflow(by: limits.decodedBytesPerBufferByte)
        let limit = max(limits.decodedBytes, overflow ? Int.max : scaled)
        guard bytes <= limit - decodedBytes else { throw limitFailure(json, "the decoded data takes more than \(limit) bytes") }
        decodedBytes += bytes
    }

    func reserve(count: Int, componentCount: Int, for json: JSONValue) throws(GLTFError) {
        let (bytes, overflow) = count.multipliedReportingOverflow(by: componentCount * 4)
        try reserve(bytes: overflow ? Int.max : bytes, for: json)
    }

    /// The greatest number of triangles from a Draco decoder, whose library needs about 32 bytes per triangle.
    var triangleLimit: Int { max(limits.decodedBytes, bufferBytes) / 32 }

    // MARK: Values with a range

    /// Returns a factor whose range the specification limits. Clamps a value outside the range, with a warning.
    func factor(
        _ object: JSONValue?, _ key: StaticString, in range: ClosedRange<Float> = 0...1, default value: Float
    ) throws(GLTFError) -> Float {
        guard let object, let given = try object.float(key) else { return value }
        guard range.contains(given) else {
            if let member = object[key] { warn(member, "is out of range and was clamped") }
            return clamp(given, range.lowerBound, range.upperBound)
        }
        return given
    }

    /// Returns a colour of `count` components, each clamped to 0…1.
    func colorFactor(_ json: JSONValue, _ key: StaticString, count: Int) throws(GLTFError) -> [Float]? {
        guard let values = try json.floats(key, count: count) else { return nil }
        if values.contains(where: { $0 < 0 || $0 > 1 }), let member = json[key] {
            warn(member, "is out of the range 0…1 and was clamped")
        }
        return values.map { clamp($0, 0, 1) }
    }
}
