#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The result of an object of a batch.
struct BatchResult: Codable, Equatable {
    enum State: String, Codable {
        case complete, failed
        /// The batch was stopped before it reached this object.
        case waiting
    }

    let name: String
    var state: State
    /// The reason of a failure.
    var reason: String?
    /// The fingerprint of the input and the options: an object with another one is reconstructed again.
    var fingerprint: String
    /// The written files.
    var files: [String] = []
    var photos: Int?
    var photosUsed: Int?
    var triangles: Int?
    var warnings: [String] = []
    var seconds = 0.0
    var peakMemoryMb: Double?
    /// Whether an earlier run of the batch made it.
    var wasRestored = false
}

/// The events that `vitrine reconstruct --json` prints, as far as a batch needs them.
struct ReconstructEvent: Decodable {
    struct Model: Decodable { let triangles: Int }
    struct Step: Decodable { let peakMemoryMb: Double? }

    let event: String
    var fraction: Double?
    var stage: String?
    var remainingS: Double?
    var reason: String?
    var photos: Int?
    var photosUsed: Int?
    var models: [Model]?
    var steps: [Step]?
    var warnings: [String]?

    static func decode(_ line: [UInt8]) -> ReconstructEvent? {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try? decoder.decode(ReconstructEvent.self, from: Data(line))
    }
}

extension BatchResult {
    /// Adds the output of the object's reconstruction.
    mutating func take(_ event: ReconstructEvent) {
        switch event.event {
        case "result":
            (photos, photosUsed, warnings) = (event.photos, event.photosUsed, event.warnings ?? [])
            triangles = event.models?.last?.triangles
            peakMemoryMb = event.steps?.compactMap(\.peakMemoryMb).max()
        case "request_error": reason = reason ?? event.reason
        default: break
        }
    }
}
