import Foundation
import Vitrine
import VitrineGPU

/// A loaded model, lit and posed as the command line asks.
struct Staging {
    let scene: Scene
    let warnings: [String]
    /// Around the model, world frame, metres.
    let bounds: BoundingBox
}

extension LookSettings {
    /// Loads the model and its light. Without `--background` the environment's own is seen: a given picture itself, the studio's backdrop.
    ///
    /// - Parameter bakeProgress: The share of the occlusion that is baked, 0…1, once the model is loaded.
    @MainActor
    func stage(
        model path: String, progress: @escaping @Sendable (ModelLoadProgress) -> Void, bakeProgress: (@Sendable (Double) -> Void)? = nil
    ) async throws -> Staging {
        let loaded = try await SceneFile.load(URL(fileURLWithPath: path), options: loadOptions, progress: progress)
        let scene = loaded.scene
        try light(scene)
        do {
            try scene.choose(variant: variant)
        } catch {
            throw CommandError(file: path, reason: error.description)
        }
        try pose(scene, path: path)
        if let ground {
            let bounds = scene.bounds
            let foot = bounds.isEmpty ? Vector3(0, 0, 0) : Vector3(bounds.center.x, bounds.minimum.y, bounds.center.z)
            scene.environment.ground = GroundProjection(radius: ground.radius, cameraHeight: ground.height, center: foot)
        }
        if bakesOcclusion { try await scene.bakeOcclusion(progress: bakeProgress) }
        return Staging(scene: scene, warnings: loaded.warnings.map(\.description), bounds: scene.bounds)
    }

    /// How models are loaded.
    var loadOptions: ModelLoadOptions {
        var options = ModelLoadOptions()
        options.usdVariants = variants
        options.allowedFolders = allowedFolders
        options.isStrict = isStrict
        if let textureBytes { options.maximumTextureBytes = textureBytes }
        if let textureSide { options.maximumTextureSide = textureSide }
        return options
    }

    /// By the picture that is asked for, else by the file's own, else by the studio.
    private func light(_ scene: Scene) throws {
        let made: Environment
        if let environment {
            made = try Environment(contentsOf: URL(fileURLWithPath: environment))
        } else if scene.environment.image != nil {
            made = scene.environment
        } else {
            made = .studio()
        }
        made.rotation = made.rotation + environmentRotation
        made.intensity *= environmentIntensity
        made.backgroundBlur = backgroundBlur
        switch background {
        case .color(let color): made.background = .color(color)
        case .environment: made.background = .environment
        case .transparent: made.background = .transparent
        case nil: break
        }
        scene.environment = made
    }

    /// Puts the model where its animation has it.
    private func pose(_ scene: Scene, path: String) throws { try clip(of: scene, path: path)?.apply(at: time ?? 0) }

    /// The animation that is asked for: by `--animation`, or the first where `--time` is given.
    func clip(of scene: Scene, path: String) throws -> AnimationClip? {
        guard animation != nil || time != nil else { return nil }
        guard !scene.animations.isEmpty else { throw CommandError(file: path, reason: "the model has no animation") }
        guard let animation else { return scene.animations[0] }
        if let found = scene.animation(named: animation) { return found }
        if let index = Int(animation), scene.animations.indices.contains(index) { return scene.animations[index] }
        let names = scene.animations.map(\.name).joined(separator: ", ")
        throw CommandError(file: path, reason: "no animation '\(animation)': it has \(names)")
    }

    /// The view that the settings ask for, turned by `turn` about the target, through the lens that they ask for.
    func view(of staging: Staging, path: String, aspectRatio: Float, turn: Angle = .zero) throws -> View {
        var view = try pinhole(of: staging, path: path, aspectRatio: aspectRatio, turn: turn)
        guard depthOfField != nil else { return view }
        guard case .perspective = view.camera.projection else {
            throw CommandError(file: path, reason: "--depth-of-field needs a camera with perspective")
        }
        let middle = staging.bounds.isEmpty ? Vector3(0, 0, 0) : staging.bounds.center
        view.camera.lens = lens(focusingAt: -view.worldFromCamera.affineInverse.transform(point: target ?? middle).z)
        return view
    }

    private func pinhole(of staging: Staging, path: String, aspectRatio: Float, turn: Angle) throws -> View {
        if let photoCamera {
            let found = try PhotoCamera(named: photoCamera.photo, in: photoCamera.file)
            for warning in found.warnings { printError("warning: \(photoCamera.photo): \(warning)") }
            return found.view
        }
        if let camera, let view = View(of: try cameraNode(named: camera, in: staging.scene, path: path)) { return view }
        let (azimuth, elevation, distance): (Angle, Angle, Float?) =
            switch orbit {
            case .automatic: (.degrees(30), .degrees(15), nil)
            case .fixed(let azimuth, let elevation, let distance): (.degrees(azimuth), .degrees(elevation), distance)
            }
        let framed = View.framing(
            staging.bounds, azimuth: azimuth + turn, elevation: elevation, fieldOfView: fieldOfView, aspectRatio: aspectRatio)
        guard target != nil || distance != nil else { return framed }
        let middle = staging.bounds.isEmpty ? Vector3(0, 0, 0) : staging.bounds.center
        let reach = VitrineMath.distance(framed.worldFromCamera.translation, middle)
        return View.orbit(
            target: target ?? middle, azimuth: azimuth + turn, elevation: elevation, distance: distance ?? reach, fieldOfView: fieldOfView)
    }

    /// The node with the camera that `--camera` names.
    func cameraNode(named name: String, in scene: Scene, path: String) throws -> Node {
        var nodes: [Node] = []
        scene.rootNode.forSubtree { if $0.camera != nil { nodes.append($0) } }
        if let found = nodes.first(where: { $0.name == name }) { return found }
        if let index = Int(name), nodes.indices.contains(index) { return nodes[index] }
        let names = nodes.isEmpty ? "it has none" : "it has " + nodes.map(\.name).joined(separator: ", ")
        throw CommandError(file: path, reason: "no camera '\(name)': \(names)")
    }

    var renderOptions: RenderOptions {
        RenderOptions(
            sampleCount: sampleCount ?? 4, toneMapping: toneMapping, exposure: exposure, debugView: debugView,
            screenOcclusion: hasScreenOcclusion ? ScreenOcclusion() : nil, bloom: bloom.map { Bloom(intensity: $0) },
            vignette: vignette.map { Vignette(strength: $0) })
    }

    /// The adapter asked for by `--adapter`, else by `VITRINE_ADAPTER`.
    var adapterChoice: GPUAdapterChoice {
        GPUAdapterChoice(parsing: adapter ?? ProcessInfo.processInfo.environment["VITRINE_ADAPTER"] ?? "")
    }
}

/// Whether two paths name one file that is there, through links too.
func isSameFile(_ a: String, _ b: String) -> Bool {
    let (a, b) = (URL(fileURLWithPath: a).resolvingSymlinksInPath(), URL(fileURLWithPath: b).resolvingSymlinksInPath())
    return a.path == b.path && FileManager.default.fileExists(atPath: a.path)
}

/// A failure that has to do with a file.
struct CommandError: LocalizedError {
    let file: String
    let reason: String
    var errorDescription: String? { "\(file): \(reason)" }
}
