import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

/// The renderer of a view, on one device, for frames of one format.
@MainActor
final class RenderEngine {
    let device: GPUDevice
    private let renderer: Renderer
    private let overlay: TextOverlay
    private let format: GPUTextureFormat
    private var readImages: Set<ObjectIdentifier> = []

    init(device: GPUDevice, format: GPUTextureFormat) throws {
        (self.device, self.format) = (device, format)
        renderer = try Renderer(device: device)
        overlay = try TextOverlay(device)
    }

    /// Called with a message about content that the renderer cannot draw; see `Renderer.onWarning`.
    var onWarning: (@MainActor (String) -> Void)? {
        didSet {
            let report = onWarning
            // The renderer belongs to the main actor, with this object.
            renderer.onWarning = report.map { report in { text in MainActor.assumeIsolated { report(text) } } }
        }
    }

    /// Uploads the scene and compiles its shaders, so that the first frame takes no longer than any other.
    func prepare(_ scene: Scene, from view: View, options: RenderOptions) throws {
        try renderer.prepare(scene, options: options)
        let warmUp = try renderer.warmUp(of: scene, from: view, to: format, options: options)
        for work in try warmUp.pendingPipelines() { renderer.take(try work.run()) }
        try warmUp.draw()
        try device.waitUntilIdle()
    }

    /// Prepares a scene without blocking the main actor for more than a few milliseconds at a time: work without the GPU runs on other threads,
    /// uploads run in slices, and other work, such as drawing the current scene, runs between them.
    ///
    /// - Parameter progress: Called with the completed fraction, 0…1, increasing.
    func prepareInSlices(_ scene: Scene, from view: View, options: RenderOptions, progress: @MainActor (Double) -> Void) async throws {
        try await readEnvironment(scene.environment)
        for work in try renderer.pendingWork(for: scene) {
            renderer.take(await Self.run(work))
            try Task.checkCancellation()
        }
        for work in try renderer.pendingPrograms(for: scene) {
            // An error is thrown below, with the name of the material.
            if let result = try? await Self.run(work) { renderer.take(result) }
            try Task.checkCancellation()
        }
        let clock = ContinuousClock()
        var (reached, slice) = (0.0, Duration.milliseconds(4))
        while true {
            let deadline = clock.now + slice
            var (share, steps) = (reached, 0)
            let isDone = try renderer.prepare(scene, options: options, waits: false) {
                (share, steps) = (max(share, $0), steps + 1)
                return $0 >= 1 || clock.now < deadline
            }
            // Every slice iterates over the finished parts: with very many parts, that alone may take the whole slice.
            if share <= reached, steps <= 1 { slice *= 2 }
            reached = share
            progress(share)
            if isDone { break }
            try await settle(atMost: .milliseconds(20))
        }
        try await compile(scene, from: view, options: options)
    }

    /// Reads the environment's image on another thread, because a large one takes longer than a frame.
    private func readEnvironment(_ environment: Environment) async throws {
        guard let image = environment.image, !readImages.contains(ObjectIdentifier(image)) else { return }
        renderer.adopt(try await Task(executorPreference: BackgroundExecutor.shared) { try await Self.source(image) }.value)
        readImages.insert(ObjectIdentifier(image))
    }

    /// Compiles the scene's pipelines on other threads, one between two frames, and draws offscreen, so that the driver completes them.
    private func compile(_ scene: Scene, from view: View, options: RenderOptions) async throws {
        let warmUp = try renderer.warmUp(of: scene, from: view, to: format, options: options)
        try await settle(atMost: .milliseconds(100))
        for work in try warmUp.pendingPipelines() {
            renderer.take(try await Self.run(work))
            try Task.checkCancellation()
            try warmUp.draw()
            try await settle(atMost: .milliseconds(100))
        }
        try warmUp.draw()
        try await settle(atMost: .seconds(2))
    }

    @concurrent private nonisolated static func run(_ work: ShaderWork) async throws -> ShaderWork.Result { try work.run() }
    @concurrent private nonisolated static func run(_ work: GeometryWork) async -> GeometryWork.Result { work.run() }
    @concurrent private nonisolated static func source(_ image: Image) async throws -> EnvironmentSource { try EnvironmentSource(image) }

    /// Yields until the GPU is idle, for a limited time, because it may never be idle while another scene is drawn.
    private func settle(atMost duration: Duration) async throws {
        let clock = ContinuousClock()
        let deadline = clock.now + duration
        repeat { try await Task.sleep(for: .milliseconds(1)) } while !device.queue.poll() && clock.now < deadline
        try device.checkErrors()
    }

    /// Frees GPU memory of scenes that are no longer drawn.
    func purge() {
        renderer.purge()
        readImages = []
    }

    /// Draws the scene with texts over it.
    ///
    /// - Parameter texts: Returns the texts for the statistics of the frame. Called after the scene is drawn.
    func draw(
        _ scene: Scene, from view: View, into target: GPUTextureView, options: RenderOptions, scale: Float,
        texts: (FrameStatistics) throws -> [OverlayText]
    ) throws {
        let statistics = try renderer.render(scene, from: view, to: target, options: options)
        try overlay.draw(try texts(statistics), over: target, scale: scale)
    }

    /// Renders an image.
    ///
    /// - Parameter samples: The number of samples per pixel, 1…256; 1 gives the frame that a window shows.
    func image(
        _ scene: Scene, from view: View, width: Int, height: Int, samples: Int, options: RenderOptions, scale: Float,
        texts: (FrameStatistics) throws -> [OverlayText]
    ) throws -> Image {
        let target = try OffscreenTarget(device, width: width, height: height)
        let statistics = try renderer.renderStill(scene, from: view, to: target, samples: samples, options: options)
        try overlay.draw(try texts(statistics), over: target.view, scale: scale)
        return try target.image()
    }
}
