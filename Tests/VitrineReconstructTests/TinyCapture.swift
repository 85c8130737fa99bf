import Foundation
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

/// Photos of a synthetic object, as few and as small as a model needs.
enum TinyCapture {
    static let capture = SyntheticCapture { options in
        (options.photos, options.width, options.height) = (9, 288, 216)
        (options.arc, options.elevations, options.subdivisions) = (0.4, [20.0, 32.0], 4)
    }

    /// Writes the photos to a new folder `photos` in `folder`.
    static func write(to folder: URL, count: Int = 9) throws -> URL {
        let photos = folder.appendingPathComponent("photos")
        try FileManager.default.createDirectory(at: photos, withIntermediateDirectories: true)
        for (index, photo) in capture.photos.prefix(count).enumerated() {
            try photo.image?.write(to: photos.appendingPathComponent("photo-\(index).png"))
        }
        return photos
    }

    static var samples: [PhotogrammetrySample] {
        capture.photos.enumerated().compactMap { index, photo in photo.image.map { PhotogrammetrySample(id: index, image: $0) } }
    }

    /// A configuration for small models in a short time.
    static func configuration(checkpoint: URL? = nil, threads: Int = 2) -> PhotogrammetrySession.Configuration {
        var configuration = PhotogrammetrySession.Configuration(checkpointDirectory: checkpoint)
        configuration.customDetailSpecification.maximumPolygonCount = 2_000
        configuration.customDetailSpecification.maximumTextureDimension = .oneK
        configuration.customDetailSpecification.outputTextureMaps = [.diffuseColor]
        configuration.threads = threads
        return configuration
    }
}

/// All outputs of a session.
struct Transcript {
    var outputs: [PhotogrammetrySession.Output] = []

    init(_ session: PhotogrammetrySession) async throws {
        for try await output in session.outputs { outputs.append(output) }
    }

    /// The results of the requests, in the order of completion.
    var completions: [(request: PhotogrammetrySession.Request, result: PhotogrammetrySession.Result)] {
        outputs.compactMap { if case .requestComplete(let request, let result) = $0 { (request, result) } else { nil } }
    }

    var errors: [any Error] { outputs.compactMap { if case .requestError(_, let error) = $0 { error } else { nil } } }

    func fractions(of request: PhotogrammetrySession.Request) -> [Double] {
        outputs.compactMap {
            if case .requestProgress(let of, let fraction) = $0, of == request { fraction } else { nil }
        }
    }

    var endsComplete: Bool { if case .processingComplete = outputs.last { true } else { false } }
    var endsCancelled: Bool { if case .processingCancelled = outputs.last { true } else { false } }
}
