// Photos in, a lit and touchable object out. The command-line program of Apple's "Creating a Photogrammetry Command-Line App", with its
// arguments and its defaults (detail: reduced), and a window or an image at the end:
//
//     make run EXAMPLE=PhotosToModel ARGS="PHOTOS vase.usdz"
//     make run EXAMPLE=PhotosToModel ARGS="PHOTOS vase.usdz --detail preview --picture vase.png"
//
// One difference: the session keeps a checkpoint beside the model, so that a second run resumes where the first was stopped.
import Foundation
import Vitrine
import VitrineReconstruct

let usage = """
    usage: PhotosToModel PHOTOS MODEL.usdz|.glb [--detail preview|reduced|medium|full|raw] [--sample-ordering unordered|sequential] \
    [--feature-sensitivity normal|high] [--picture FILE.png]
    """

func fail(_ message: String, code: Int32 = 1) -> Never {
    try? FileHandle.standardError.write(contentsOf: Data("error: \(message)\n".utf8))
    exit(code)
}

/// Removes an option and its value from the arguments; nil if the option is not given.
func takeOption(_ name: String, from arguments: inout [String]) -> String? {
    guard let index = arguments.firstIndex(of: name) else { return nil }
    guard index + 1 < arguments.count else { fail(usage, code: 2) }
    defer { arguments.removeSubrange(index...index + 1) }
    return arguments[index + 1]
}

/// The case that an option names; `standard` if the option is not given.
func takeCase<Value: RawRepresentable<String>>(_ name: String, from arguments: inout [String], standard: Value) -> Value {
    guard let text = takeOption(name, from: &arguments) else { return standard }
    guard let value = Value(rawValue: text) else { fail(usage, code: 2) }
    return value
}

var arguments = Array(CommandLine.arguments.dropFirst())
let detail = takeCase("--detail", from: &arguments, standard: PhotogrammetrySession.Request.Detail.reduced)
let imageFile = takeOption("--picture", from: &arguments)
var configuration = PhotogrammetrySession.Configuration()
configuration.sampleOrdering = takeCase("--sample-ordering", from: &arguments, standard: configuration.sampleOrdering)
configuration.featureSensitivity = takeCase("--feature-sensitivity", from: &arguments, standard: configuration.featureSensitivity)
guard arguments.count == 2, detail != .custom else { fail(usage, code: 2) }
let (photos, modelFile) = (URL(fileURLWithPath: arguments[0]), URL(fileURLWithPath: arguments[1]))
configuration.checkpointDirectory = modelFile.appendingPathExtension("work")

do {
    let session = try PhotogrammetrySession(input: photos, configuration: configuration)
    try session.process(requests: [.modelFile(url: modelFile, detail: detail), .modelEntity(detail: detail)])

    var model: PhotogrammetrySession.ModelEntity?
    for try await output in session.outputs {
        switch output {
        case .inputComplete: print("Data ingestion is complete. Beginning processing …")
        case .requestProgress(_, let fraction): print("Progress: \(Int(fraction * 100)) %")
        case .requestProgressInfo(_, let progress):
            let time = progress.estimatedRemainingTime.map { ", \(Int($0)) s left" } ?? ""
            print("Stage: \(progress.processingStage?.rawValue ?? "unknown")\(time)")
        case .requestComplete(_, .modelFile(let url)): print("Model file: \(url.path)")
        case .requestComplete(_, .modelEntity(let entity)): model = entity
        case .requestComplete: break
        case .requestError(_, let error): throw error
        case .invalidSample(let id, let reason): print("Invalid sample \(id): \(reason)")
        case .skippedSample(let id): print("Skipped sample \(id)")
        case .automaticDownsampling: print("Automatic downsampling has been applied")
        case .stitchingIncomplete: print("Some photos could not be stitched to the others")
        case .warning(let text): print("Warning: \(text)")
        case .processingCancelled: fail("processing was cancelled")
        case .processingComplete: print("Processing is complete")
        }
    }
    guard let model else { fail("the session made no model") }

    let scene = try model.makeScene()
    scene.environment = .studio()
    let view = SceneView(scene)
    if let imageFile {
        try view.snapshot(width: 800, height: 600).write(to: URL(fileURLWithPath: imageFile))
    } else {
        try await Window(modelFile.lastPathComponent, showing: view).run()
    }
} catch {
    fail(error.localizedDescription)
}
