import VitrineFiles

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// JSON of cameras with errors that name the location.
enum CameraJSON {
    static func encode(_ value: some Encodable) throws(CameraFileError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value)) + [10]
        } catch {
            // JSON cannot represent numbers that are not finite.
            throw CameraFileError(file: "", reason: "a number is not finite")
        }
    }

    static func write(_ bytes: [UInt8], to url: URL) throws(CameraFileError) {
        do throws(FileError) {
            try AtomicFile.write(bytes, to: url)
        } catch {
            throw CameraFileError(error)
        }
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ bytes: [UInt8], file: String) throws(CameraFileError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as DecodingError {
            throw CameraFileError(error, file: file)
        } catch {
            throw CameraFileError(file: file, reason: "is not JSON")
        }
    }
}

extension CameraFileError {
    init(_ error: DecodingError, file: String) {
        func location(_ path: [any CodingKey]) -> String {
            path.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "/")
        }
        switch error {
        case .keyNotFound(let key, let context):
            self.init(file: file, location: location(context.codingPath), reason: "\"\(key.stringValue)\" is missing")
        case .typeMismatch(let type, let context):
            self.init(file: file, location: location(context.codingPath), reason: "must be \(Self.words(type))")
        case .valueNotFound(let type, let context):
            self.init(file: file, location: location(context.codingPath), reason: "is null, must be \(Self.words(type))")
        case .dataCorrupted(let context):
            let isWhole = context.codingPath.isEmpty
            self.init(file: file, location: location(context.codingPath), reason: isWhole ? "is not JSON" : context.debugDescription)
        @unknown default: self.init(file: file, reason: "\(error)")
        }
    }

    private static func words(_ type: Any.Type) -> String {
        switch type {
        case is Double.Type: "a number"
        case is Int.Type: "a whole number"
        case is String.Type: "a text"
        case is [Any].Type: "a list"
        default: "an object"
        }
    }
}

/// A key that is known at run time only.
struct NamedKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
