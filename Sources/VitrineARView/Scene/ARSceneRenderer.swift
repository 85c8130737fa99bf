import VitrineAR
import VitrineGPU
import VitrineMath
import VitrineRender
import VitrineScene

/// Draws an anchored scene into the camera's picture: lit by the light estimate, with shadows on the planes, hidden by what a depth camera sees
/// before it.
///
/// ```swift
/// let renderer = try ARSceneRenderer(device)
/// for try await frame in session.frames { try renderer.draw(content, in: frame, to: target.view) }
/// ```
///
/// **A frame.** The scene is drawn on nothing, by a pinhole that has the camera's own focal length and centre, and only in the part of the view
/// that it reaches. Then the camera's picture is drawn, straightened (`CameraBackground`), with the scene over it in linear light.
///
/// **Light.** The environment's intensity follows the estimate's ambient intensity (1000 is neutral), and its colour temperature tints all that
/// is drawn. Shadows come from the environment's brightest parts, from the lamp of the anchored scene, and from the scene's own lights; while
/// nothing moves, those on the floor are drawn once (`ReceiverShadows`) and take their share of the camera's light.
///
/// One thread at a time.
public final class ARSceneRenderer {
    public let device: GPUDevice
    public let background: CameraBackground
    /// Samples, tone mapping, exposure, bloom … of what we draw; the camera's picture stays as it is.
    public var options = RenderOptions()
    /// Whether what the frame's depth shows hides what lies behind it. Default true.
    public var isHiddenByDepth = true
    /// What the last frame took; zero where nothing was in view.
    public private(set) var statistics = FrameStatistics()
    private let renderer: Renderer
    private let depth: CameraDepth
    private var overlay: GPUTextureView?
    private let shadows: ReceiverShadows

    public init(_ device: GPUDevice) throws(ARDrawError) {
        self.device = device
        do throws(RenderError) { renderer = try Renderer(device: device) } catch { throw .render(error) }
        do throws(GPUError) {
            background = try CameraBackground(device)
            depth = try CameraDepth(device)
            shadows = try ReceiverShadows(device)
        } catch {
            throw .gpu(error, doing: "setting up a camera's picture")
        }
    }

    /// Uploads what a scene shows already.
    public func prepare(_ content: AnchoredScene) throws(ARDrawError) {
        do throws(RenderError) { try renderer.prepare(content.scene, options: options) } catch { throw .render(error) }
    }

    /// Draws over all of the target and hands the work to the GPU without waiting.
    ///
    /// - Parameters:
    ///   - target: `rgba8` or `bgra8`, plain or sRGB, or `rgba16Float` for linear light.
    ///   - orientation: How the target is held.
    public func draw(
        _ content: AnchoredScene, in frame: ARFrame, to target: GPUTextureView, orientation: InterfaceOrientation = .landscapeRight
    ) throws(ARDrawError) {
        content.follow(frame)
        do throws(RenderError) { try shadows.follow(content, renderer) } catch { throw .render(error) }
        let view = PinholeView(frame.camera, orientation, width: target.texture.width, height: target.texture.height)
        statistics = FrameStatistics()
        var covered: CameraBackground.Overlay?
        if let region = view.region(of: content.scene, and: shadows.places, keeping: overlay?.texture) {
            covered = try overlay(content.scene, frame, orientation, view, region)
        }
        do throws(GPUError) {
            try background.draw(frame, to: target, orientation: orientation, overlay: covered)
        } catch {
            throw .gpu(error, doing: "drawing a camera's picture")
        }
    }

    /// Draws without a window and waits for the picture: `.rgba8`, sRGB-encoded.
    public func picture(
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
        let picture: GPUTextureView
        let floors: GPUTextureView?
        var occluder: GPUTextureView?
        do throws(GPUError) {
            picture = try target(region)
            if isHiddenByDepth { occluder = try depth.occluder(frame, orientation, viewport: view.size, region: region) }
            floors = try shadows.mask(view, region, occluder: occluder)
        } catch {
            throw .gpu(error, doing: "making room for a scene")
        }
        do throws(RenderError) {
            statistics = try renderer.render(scene, from: view.view(of: region), to: picture, options: options, occluder: occluder)
        } catch {
            throw .render(error)
        }
        return CameraBackground.Overlay(
            picture: picture, shadows: floors, x: region.x, y: region.y, tint: frame.lightEstimate?.tint ?? Vector3(1, 1, 1))
    }

    /// Read through the sRGB curve, what is tone mapped for a screen is light again.
    private func target(_ region: PixelRegion) throws(GPUError) -> GPUTextureView {
        if let overlay, overlay.texture.width == region.width, overlay.texture.height == region.height { return overlay }
        let made = try CameraPlanes.texture(
            device, "scene", .rgba8UnormSRGB, region.width, region.height, usage: [.renderAttachment, .textureBinding])
        overlay = made
        return made
    }
}
