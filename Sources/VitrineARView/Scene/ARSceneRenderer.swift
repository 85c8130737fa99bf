import VitrineAR
import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

/// Renders an anchored scene over the camera image: lit by the light estimate, with shadows on planes, occluded by the depth image.
///
/// ```swift
/// let renderer = try ARSceneRenderer(device)
/// for try await frame in session.frames { try renderer.draw(content, in: frame, to: targetView) }
/// ```
///
/// **A frame.** Renders the scene on a transparent background with a pinhole camera of the same focal length and principal point, only in the
/// visible region. Then draws the undistorted camera image (`CameraBackground`) with the scene over it in linear light.
///
/// **Light.** The environment's intensity follows the estimate's ambient intensity (1000 is neutral); its colour temperature tints the scene.
/// Shadows come from the environment's brightest parts, from the light of the anchored scene, and from the scene's own lights. While nothing
/// moves, shadows on receivers are rendered once (`ReceiverShadows`); they darken the camera image.
///
/// One thread at a time.
public final class ARSceneRenderer {
    /// The device of all resources.
    public let device: GPUDevice
    /// The renderer of the camera image.
    public let background: CameraBackground
    /// Render options of the scene; they do not affect the camera image.
    public var options = RenderOptions()
    /// Whether the frame's depth image occludes the scene. Default true.
    public var isOccludedByDepth = true
    /// The statistics of the last frame; zero if nothing was visible.
    public private(set) var statistics = FrameStatistics()
    private let renderer: Renderer
    private let depth: CameraDepth
    private var overlay: GPUTextureView?
    private let shadows: ReceiverShadows

    /// Makes a renderer on a device.
    public init(_ device: GPUDevice) throws(ARDrawError) {
        self.device = device
        do throws(RenderError) { renderer = try Renderer(device: device) } catch { throw .render(error) }
        do throws(GPUError) {
            background = try CameraBackground(device)
            depth = try CameraDepth(device)
            shadows = try ReceiverShadows(device)
        } catch {
            throw .gpu(error, doing: "preparing the camera image")
        }
    }

    /// Uploads the resources of a scene.
    public func prepare(_ content: AnchoredScene) throws(ARDrawError) {
        do throws(RenderError) { try renderer.prepare(content.scene, options: options) } catch { throw .render(error) }
    }

    /// Renders to the whole target; submits the work without waiting.
    ///
    /// - Parameters:
    ///   - target: `rgba8` or `bgra8`, plain or sRGB, or `rgba16Float` for linear light.
    ///   - orientation: The orientation of the target.
    public func draw(
        _ content: AnchoredScene, in frame: ARFrame, to target: GPUTextureView, orientation: InterfaceOrientation = .landscapeRight
    ) throws(ARDrawError) {
        content.update(with: frame)
        do throws(RenderError) { try shadows.update(content, renderer) } catch { throw .render(error) }
        let view = PinholeView(frame.camera, orientation, width: target.texture.width, height: target.texture.height)
        statistics = FrameStatistics()
        var covered: CameraBackground.Overlay?
        if let region = view.region(of: content.scene, and: shadows.regions, keeping: overlay?.texture) {
            covered = try overlay(content.scene, frame, orientation, view, region)
        }
        do throws(GPUError) {
            try background.draw(frame, to: target, orientation: orientation, overlay: covered)
        } catch {
            throw .gpu(error, doing: "drawing the camera image")
        }
    }

    /// Renders without a window and waits for the image: `.rgba8`, sRGB-encoded.
    public func image(
        of content: AnchoredScene, in frame: ARFrame, width: Int, height: Int, orientation: InterfaceOrientation = .landscapeRight
    ) throws(ARDrawError) -> Image {
        let target: OffscreenTarget
        do throws(RenderError) { target = try OffscreenTarget(device, width: width, height: height) } catch { throw .render(error) }
        try draw(content, in: frame, to: target.view, orientation: orientation)
        do throws(RenderError) { return try target.image() } catch { throw .render(error) }
    }

    private func overlay(
        _ scene: Scene, _ frame: ARFrame, _ orientation: InterfaceOrientation, _ view: PinholeView, _ region: PixelRegion
    ) throws(ARDrawError) -> CameraBackground.Overlay {
        let rendered: GPUTextureView
        let receiverShadows: GPUTextureView?
        var occluder: GPUTextureView?
        do throws(GPUError) {
            rendered = try target(region)
            if isOccludedByDepth { occluder = try depth.occluder(frame, orientation, viewport: view.size, region: region) }
            receiverShadows = try shadows.mask(view, region, occluder: occluder)
        } catch {
            throw .gpu(error, doing: "allocating the target of a scene")
        }
        do throws(RenderError) {
            statistics = try renderer.render(scene, from: view.view(of: region), to: rendered, options: options, occluder: occluder)
        } catch {
            throw .render(error)
        }
        return CameraBackground.Overlay(
            image: rendered, shadows: receiverShadows, x: region.x, y: region.y, tint: frame.lightEstimate?.tint ?? Vector3(1, 1, 1))
    }

    /// An sRGB target: reading it gives linear light again after tone mapping for a screen.
    private func target(_ region: PixelRegion) throws(GPUError) -> GPUTextureView {
        if let overlay, overlay.texture.width == region.width, overlay.texture.height == region.height { return overlay }
        let made = try CameraPlanes.texture(
            device, "scene", .rgba8UnormSRGB, region.width, region.height, usage: [.renderAttachment, .textureBinding])
        overlay = made
        return made
    }
}
