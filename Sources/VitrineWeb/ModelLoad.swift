import CVitrineWeb
import VitrineGLTF
import VitrineGPU
import VitrineGeometry
import VitrineRender
import VitrineScene
import VitrineStage

/// Facts about a model for the page.
struct ModelFacts {
    let info: GLTFInfo
    let warnings: [String]
    let triangles: Int
    let textures: Int
}

/// A model that is being loaded: parsed by this class, its images decoded by the page, uploaded in slices.
///
/// While the page decodes, pipelines are prepared with plain textures instead of the images, on which they do not depend.
final class ModelLoad {
    /// The consecutive steps.
    private enum Step {
        case programs([ShaderWork])
        case upload
        case pipelines
        case compile([ShaderWork])
        case done
    }

    let asset: GLTFAsset
    private let renderer: Renderer
    private let options: RenderOptions
    private let viewer: PageViewer
    private var step = Step.upload
    private var warmUp: WarmUp?
    private var fraction = 0.0
    private var isStarted = false
    /// The shadow receiver, which is in the scene during preparation, because shadows change the pipelines of all surfaces. nil for none.
    private var shadowReceiver: Node?
    private(set) var warnings: [String]

    init(_ asset: GLTFAsset, for viewer: PageViewer) {
        (self.asset, self.viewer) = (asset, viewer)
        (renderer, options) = (viewer.renderer, viewer.look.options)
        warnings = asset.warnings.map { $0.description }
    }

    /// Passes the encoded images to the page, each with its index and its fallback, and frees them.
    func putImages() {
        var seen: Set<Int> = []
        var entries: [GLTFTexture] = []
        for entry in asset.textures where seen.insert(entry.imageIndex).inserted { entries.append(entry) }
        Page.putNumber(entries.count)
        for entry in entries {
            Page.putNumber(entry.imageIndex)
            Page.putText(entry.mimeType)
            if case .encoded(let bytes) = entry.texture.content {
                bytes.withUnsafeBytes { vitrine_page_put_bytes($0.baseAddress, $0.count) }
            } else {
                vitrine_page_put_bytes(nil, 0)
            }
            (entry.fallback ?? []).withUnsafeBytes { vitrine_page_put_bytes($0.baseAddress, $0.count) }
        }
        let plain = try? Image(width: 2, height: 2, format: .rgba8, bytes: [UInt8](repeating: 255, count: 16), name: "")
        for entry in asset.textures { entry.texture.content = plain.map { .image($0) } ?? .encoded([]) }
    }

    /// Stores a decoded image of the page.
    func takeImage(_ index: Int, number: UInt32, width: Int, height: Int) {
        let image = PlatformImage(number: number, width: width, height: height) { vitrine_page_release_image($0) }
        for entry in asset.textures where entry.imageIndex == index {
            entry.texture.platformImage = image
            entry.texture.isKnownDecodable = true
        }
    }

    /// Removes an image that the page cannot decode from the materials.
    func dropImage(_ index: Int, reason: String) {
        for entry in asset.textures where entry.imageIndex == index {
            for material in asset.materials { material.removeMaps(of: entry.texture) }
            warnings.append("\(entry.location): the texture \"\(entry.texture.name)\" was omitted: \(reason)")
        }
    }

    /// Restarts with the decoded images. Compiled pipelines are reused.
    func completeImages() { (step, warmUp, fraction, isStarted) = (.upload, nil, 0, false) }

    /// Continues for about this number of milliseconds.
    ///
    /// - Returns: The completed fraction; at 1 the model can be displayed, if it has its images.
    func advance(milliseconds: Double) throws(PageError) -> Double {
        let deadline = vitrine_page_now() + milliseconds
        if !isStarted {
            isStarted = true
            asset.scene.environment = viewer.look.makeEnvironment()
            if shadowReceiver == nil { shadowReceiver = viewer.addShadowReceiver(to: asset.scene) }
            step = .programs(try PageError.rendering { () throws(RenderError) in try renderer.pendingPrograms(for: asset.scene) })
        }
        repeat { try advance(until: deadline) } while fraction < 1 && vitrine_page_now() < deadline
        return fraction
    }

    private func advance(until deadline: Double) throws(PageError) {
        let scene = asset.scene
        switch step {
        case .programs(var work):
            // The upload reports an error, with the name of the material.
            if let next = work.popLast() {
                do throws(RenderError) { renderer.take(try next.run()) } catch {}
                step = .programs(work)
            } else {
                step = .upload
            }
        case .upload:
            var share = 0.0
            let isDone = try PageError.rendering { () throws(RenderError) in
                try renderer.prepare(scene, options: options, waits: false) {
                    share = max(share, $0)
                    return $0 >= 1 || vitrine_page_now() < deadline
                }
            }
            fraction = max(fraction, share * 0.9)
            if isDone { step = .pipelines }
        case .pipelines:
            let (work, made) = try PageError.rendering { () throws(RenderError) in
                let made = try renderer.warmUp(of: scene, from: viewer.stage.firstView(of: scene), to: viewer.format, options: options)
                return (try made.pendingPipelines(), made)
            }
            (warmUp, step) = (made, .compile(work))
        case .compile(var work):
            if let next = work.popLast() {
                try PageError.rendering { () throws(RenderError) in renderer.take(try next.run()) }
                step = .compile(work)
            } else {
                try PageError.rendering { () throws(RenderError) in try warmUp?.draw() }
                (warmUp, step) = (nil, .done)
            }
        case .done: fraction = 1
        }
    }

    /// Displays the model.
    func finish() {
        shadowReceiver?.removeFromParentNode()
        var triangles = 0
        asset.scene.rootNode.forSubtree { node in
            for part in node.mesh?.parts ?? [] { triangles += part.geometry.triangleCount }
        }
        viewer.show(
            asset.scene, ModelFacts(info: asset.info, warnings: warnings, triangles: triangles, textures: asset.textures.count))
    }
}

extension ModelLoad {
    /// Parses a glTF file.
    ///
    /// - Parameters:
    ///   - files: The referenced files that the page has fetched, by path.
    ///   - missing: Receives the paths of other referenced files.
    static func parse(
        _ bytes: [UInt8], name: String, files: [String: [UInt8]], missing: inout [String]
    ) throws(PageError) -> GLTFAsset {
        do throws(GLTFError) {
            return try GLTFReader.read(bytes, name: name) { path throws(GLTFError) in
                if let known = files[path] { return known }
                missing.append(path)
                throw GLTFError(reason: .resource(uri: path, reason: "cannot be read"))
            }
        } catch {
            guard case .unsupportedExtension(let name) = error.reason else { throw PageError(error.description) }
            throw PageError(error.description, unsupportedExtension: name)
        }
    }
}
