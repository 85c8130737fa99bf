import Synchronization
import VitrineMath
import VitrinePathTracer
import VitrineRender
import VitrineScene

/// The method with which `SceneView.snapshot` renders an image.
public enum SnapshotQuality: Equatable, Hashable, Sendable {
    /// Rendering on the GPU, as in a window.
    case realTime
    /// Path tracing on the processor: true shadows, interreflections and refraction. Takes seconds to minutes.
    ///
    /// Supports everything in a scene except surface functions, points and lines; all lights cast shadows. Of `SceneView.options`, only tone mapping
    /// and exposure have an effect.
    case path
    /// Path traces the scene like `path` and then denoises the image, guided by normals and colours. Denoising blurs fine reflections and
    /// sharp shadows if there are few samples.
    case denoisedPath
}

extension SceneView {
    /// Returns a path-traced image of a view, of the scene in its current state.
    func pathTraced(_ view: View, width: Int, height: Int, samples: Int, isDenoised: Bool) throws -> Image {
        do {
            let tracer = try PathTracer(
                try PathScene(scene), camera: view.camera, worldFromCamera: view.worldFromCamera, part: view.part, width: width,
                height: height,
                exposure: options.exposure)
            let isStopped = Atomic(false)
            try tracer.render(
                PathBudget(samples: samples), shouldStop: { isStopped.load(ordering: .relaxed) },
                onProgress: { _ in
                    if Task.isCancelled { isStopped.store(true, ordering: .relaxed) }
                })
            try Task.checkCancellation()
            return tracer.displayImage(
                toneMapping: options.toneMapping, background: scene.environment.background, isDenoised: isDenoised)
        } catch let error as PathTracerError {
            throw RenderError(error)
        }
    }
}

extension RenderError {
    fileprivate init(_ error: PathTracerError) {
        switch error {
        case .environmentLayout(let name, let width, let height): self = .environmentLayout(name: name, width: width, height: height)
        case .invalidOption(let name, let reason): self = .invalidOption(name: name, reason: reason)
        case .surfaceFunction, .undecodedTexture, .state: self = .invalidOption(name: "quality", reason: "cannot be path: \(error)")
        }
    }
}
