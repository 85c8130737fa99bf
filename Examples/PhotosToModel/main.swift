// Photos in, a lit and touchable object out:
//
//     swift run -c release PhotosToModel PHOTOS vase.usdz              makes the model and shows it in a window
//     swift run -c release PhotosToModel PHOTOS vase.usdz vase.png     makes the model and a picture of it
//
// Turn it by dragging; the work goes on where it was stopped, because the session keeps a checkpoint beside the model.
import Foundation
import Vitrine
import VitrineReconstruct

let paths = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
guard paths.count == 2 || paths.count == 3 else {
    try? FileHandle.standardError.write(contentsOf: Data("error: usage: PhotosToModel PHOTOS MODEL.usdz|.glb [PICTURE.png]\n".utf8))
    exit(2)
}

do {
    let checkpoint = paths[1].appendingPathExtension("work")
    let session = try PhotogrammetrySession(input: paths[0], configuration: .init(checkpointDirectory: checkpoint))
    try session.process(requests: [.modelFile(url: paths[1], detail: .preview), .modelEntity(detail: .preview)])

    var model: PhotogrammetrySession.ModelEntity?
    for try await output in session.outputs {
        switch output {
        case .requestProgressInfo(_, let progress):
            let seconds = progress.estimatedRemainingTime.map { "\(Int($0)) s left" } ?? ""
            print(progress.processingStage?.rawValue ?? "", seconds)
        case .invalidSample(let id, let reason): print("photo \(id) is left out: \(reason)")
        case .stitchingIncomplete: print("some photos could not be joined to the others")
        case .requestComplete(_, .modelEntity(let entity)): model = entity
        case .requestError(_, let error): throw error
        default: break
        }
    }
    guard let model else { exit(1) }

    let scene = try model.makeScene()
    scene.environment = .studio()
    let view = SceneView(scene)
    if paths.count == 3 {
        try view.snapshot(width: 800, height: 600).write(to: paths[2])
    } else {
        try await Window("Vase", showing: view).run()
    }
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("error: \(error.localizedDescription)\n".utf8))
    exit(1)
}
