import VitrineFiles
import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension SceneView {
    /// An image of the scene as it is seen now, with or without a window. Includes the statistics if `showsStatistics` is set, but no help and no
    /// messages.
    ///
    /// The first call without a window opens a GPU device of its own and keeps it for the next ones.
    ///
    /// - Parameters:
    ///   - width, height: Pixels; by default the window's, or 1280 × 720 without one.
    ///   - samples: Samples per pixel, 1…256: a still of that many frames (`Renderer.renderStill`), which takes that many times as long. Default 1:
    ///     the frame that a window shows.
    /// - Returns: `.rgba8`, sRGB-encoded, straight alpha.
    public func snapshot(width: Int? = nil, height: Int? = nil, samples: Int = 1, adapter: GPUAdapterChoice = .automatic) throws -> Image {
        if engine == nil { engine = try RenderEngine(device: try GPUDevice.make(adapter), format: .rgba8UnormSRGB) }
        guard let engine else { throw WindowError("draw a picture", reason: "there is no renderer") }
        completeSetup()
        let pixels = window?.pixelSize ?? (width: Int(size.x), height: Int(size.y))
        let (width, height) = (width ?? pixels.width, height ?? pixels.height)
        // A camera that fits the window's shape fits the picture's, as long as nobody has moved it.
        let shown = rig.viewportSize
        defer { rig.viewportSize = shown }
        rig.viewportSize = Vector2(Float(width), Float(height)) / (window?.scale ?? 1)
        return try engine.image(
            scene, from: currentView, width: width, height: height, samples: samples, options: options, scale: window?.scale ?? 1
        ) { drawn in
            statistics = drawn
            return statisticsTexts(nil)
        }
    }

    /// Uploads the scene and compiles what draws it, so that the first picture takes no longer than any other. A window does this itself.
    public func prepare(adapter: GPUAdapterChoice = .automatic) throws {
        if engine == nil { engine = try RenderEngine(device: try GPUDevice.make(adapter), format: .rgba8UnormSRGB) }
        completeSetup()
        try engine?.prepare(scene, from: currentView, options: options)
    }

    /// Gets another scene ready while what is shown goes on being drawn: works out and compiles on other threads, uploads in slices of a few
    /// milliseconds. `view.scene = next` then shows it whole with the next picture.
    ///
    /// ```swift
    /// let next = try await Scene(contentsOf: url)
    /// try await view.prepare(next) { print("\(Int($0 * 100)) %") }
    /// view.scene = next
    /// ```
    ///
    /// - Parameters:
    ///   - next: Not to be changed meanwhile. Dark scenes are lit as `autoenablesDefaultLighting` says.
    ///   - progress: Told the share that is done, 0…1, rising.
    /// - Throws: What drawing it would throw; `CancellationError`. What is shown stays.
    public func prepare(
        _ next: Scene, adapter: GPUAdapterChoice = .automatic, progress: @MainActor (Double) -> Void = { _ in }
    ) async throws {
        if engine == nil { engine = try RenderEngine(device: try GPUDevice.make(adapter), format: .rgba8UnormSRGB) }
        lightIfDark(next)
        try await engine?.prepareInSlices(next, from: firstView(of: next), options: options) { if $0 < 1 { progress($0) } }
        progress(1)
    }

    /// As it will be seen when it takes the scene's place.
    func firstView(of next: Scene) -> View {
        var rig = rig
        rig.frame(next.subjectBounds)
        return next.pointOfView.flatMap { View(of: $0) } ?? rig.view
    }

    /// Writes what is seen to the first free of `NAME-001.png`, `NAME-002.png` … in the current directory.
    func writeScreenshot() {
        do {
            let image = try snapshot()
            let url = freeScreenshotURL()
            // Packing a picture takes longer than a frame: not here.
            Task { @MainActor in
                do {
                    try await Self.write(image, to: url)
                    onEvent(.screenshotWritten(url))
                } catch {
                    onEvent(.failed("\(error)"))
                }
            }
        } catch {
            onEvent(.failed("screenshot: \(error)"))
        }
    }

    private nonisolated static func write(_ image: Image, to url: URL) async throws { try image.write(to: url) }

    private func freeScreenshotURL() -> URL {
        let name = (baseTitle ?? "picture").split(separator: "/").last.map(String.init) ?? "picture"
        let stem = name.split(separator: ".").first.map(String.init) ?? name
        while true {
            let digits = String(screenshotNumber)
            let number = String(repeating: "0", count: max(0, 3 - digits.count)) + digits
            screenshotNumber += 1
            let url = URL(fileURLWithPath: "\(stem)-\(number).png")
            if !FileManager.default.fileExists(atPath: url.path) { return url }
        }
    }
}
