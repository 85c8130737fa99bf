import Foundation
import Testing
import Vitrine
import VitrineFiles

@testable import VitrineCLI

struct WebTests {
    func message(_ arguments: String...) -> String? {
        var settings = WebSettings()
        do {
            _ = try WebSettings.table.parse(arguments, into: &settings)
            try settings.validate()
            return nil
        } catch {
            return error.message
        }
    }

    @Test func usageErrorsNameTheMistake() {
        #expect(message("a.glb") == "-o OUT is missing: name the folder to write, or a file with --single-file")
        #expect(message("a.glb", "-o", "page.html") == "'page.html' is a folder: add --single-file to write one HTML file")
        #expect(message("a.glb", "-o", "page", "--single-file") == "'page': with --single-file OUT must end in .html")
        #expect(message("a.glb", "-o", "page", "--occlusion", "screen") == "--occlusion: the page supports baked and map")
        #expect(message("a.glb", "-o", "page", "--no-poster", "--on-touch") == "--on-touch needs the poster: remove --no-poster")
        #expect(message("a.glb", "-o", "page", "--shadow", "2") == "--shadow: 2 is out of range: use 0.0 to 1.0")
        #expect(message("a.glb", "-o", "page", "--environment", "a.hdr", "--poster") == nil)
        #expect(message("a.glb", "-o", "page.html", "--single-file") == nil)
    }

    @Test func unlitPagesHaveNeitherBakedLightNorToneMapping() throws {
        func look(_ arguments: String...) throws -> LookSettings {
            var settings = WebSettings()
            _ = try WebSettings.table.parse(["a.glb", "-o", "page"] + arguments, into: &settings)
            return settings.withDefaultsOfUnlit.look
        }
        #expect(try look("--unlit").toneMapping == ToneMapping.none)
        #expect(try look("--unlit", "--tonemap", "agx").toneMapping == .agx)
        #expect(try look("--unlit", "--tonemap", "neutral").toneMapping == .neutral)
        #expect(try look().toneMapping == .neutral)
        #expect(try !look("--unlit").bakesOcclusion && look().bakesOcclusion)
    }

    @MainActor @Test func unlitMaterialsKeepBaseColorOpacityAndFaces() throws {
        let image = try Image(width: 1, height: 1, format: .rgba8, bytes: [1, 2, 3, 255], name: "paint")
        let map = TextureMap(Texture(image))
        let material = Material(name: "paint", baseColor: Color(red: 0.5, green: 0.25, blue: 0.125, alpha: 1), metalness: 1)
        (material.baseColor.map, material.normal.map, material.roughness.map) = (map, map, map)
        (material.alphaMode, material.isDoubleSided, material.clearcoat.factor) = (.mask(cutoff: 0.3), true, 1)
        let other = Material(name: "variant")
        other.emission = ColorSlot(Vector4(1, 1, 1, 1))
        let color = material.baseColor.factor
        let scene = Scene()
        let part = MeshPart(geometry: .box(size: Vector3(1, 1, 1)), material: material, alternatives: [("red", other)])
        scene.rootNode.addChildNode(Node(mesh: Mesh(parts: [part])))
        WebModel.removeLight(from: scene)
        #expect(material.lightingModel == .constant && other.lightingModel == .constant)
        #expect(material.textureMaps.count == 1 && material.baseColor.map?.texture === map.texture)
        #expect(material.baseColor.factor == color && material.clearcoat.factor.factor == 0)
        #expect(material.alphaMode == .mask(cutoff: 0.3) && material.isDoubleSided)
        #expect(other.emission.factor.xyz == Vector3(0, 0, 0))
    }

    @MainActor @Test func anglesHaveNoNeedlessDigits() {
        #expect(WebJob.degrees(.degrees(32)) == "32" && WebJob.degrees(.degrees(-33.75)) == "-33.75")
    }

    @MainActor @Test func theFirstViewIsAsNearAsAllSidesOfTheModelAllow() {
        let (elevation, fieldOfView) = (Angle.degrees(20), Angle.degrees(35))
        for (name, geometry) in [
            ("sphere", Geometry.sphere(radius: 0.5)), ("ring", .torus(ringRadius: 0.5, pipeRadius: 0.1)),
            ("cone", .cone(topRadius: 0, bottomRadius: 0.5, height: 0.8)),
        ] {
            let scene = Scene()
            let node = Node(mesh: Mesh(geometry: geometry, material: Material()))
            node.position = Vector3(5, -2, 1)
            scene.rootNode.addChildNode(node)
            let share = WebFraming.share(of: scene, elevation: elevation, fieldOfView: fieldOfView)
            let bounds = scene.subjectBounds
            let distance = WebFraming.distance(of: bounds, share: share, elevation: elevation, fieldOfView: fieldOfView)
            let positions = geometry.attribute(.position)?.values ?? []
            // The largest distance of a vertex from the middle of the frame, 1 at its edge.
            var farthest: Float = 0
            for azimuth in stride(from: Float(0), to: 360, by: 15) {
                let pose = OrbitPose(azimuth: .degrees(azimuth), elevation: elevation, distance: distance, target: bounds.center)
                let cameraFromWorld = pose.worldFromCamera.affineInverse
                for base in stride(from: 0, to: positions.count, by: 3) {
                    let vertex = Vector3(positions[base], positions[base + 1], positions[base + 2])
                    let point = cameraFromWorld.transform(point: node.position + vertex)
                    farthest = max(farthest, max(abs(point.x), abs(point.y)) / (-point.z * VitrineMath.tan(fieldOfView.radians / 2)))
                }
            }
            #expect(farthest < 0.91 && farthest > 0.84, "\(name): \(farthest)")
            #expect(share < 1, "\(name)")
        }
        #expect(WebFraming.share(of: Scene(), elevation: .zero, fieldOfView: .degrees(45)) == 1)
    }

    func page(environment: Bool = false, poster: Bool = true, attributes: [(name: String, value: String?)] = []) -> WebPage {
        WebPage(
            title: "Tom & \"Jerry\" <3", alternativeText: "A cat",
            model: WebFile(name: "model.glb", bytes: Array(repeating: 7, count: 1000)),
            environment: environment ? WebFile(name: "environment.hdr", bytes: [1, 2, 3]) : nil,
            poster: poster ? WebFile(name: "poster.webp", bytes: [4, 5, 6]) : nil, attributes: attributes)
    }

    @Test func pagesOfFoldersHaveNoInlineScripts() {
        let html = page(environment: true, attributes: [("camera-controls", nil), ("exposure", "2")]).indexHTML
        #expect(html.contains("<title>Tom &amp; &quot;Jerry&quot; &lt;3</title>"))
        #expect(
            html.contains(
                "<vitrine-viewer src=\"model.glb\" environment=\"environment.hdr\" poster=\"poster.webp\" alt=\"A cat\" camera-controls exposure=\"2\">"
            ))
        #expect(!html.contains("<style") && !html.contains("style=") && !html.contains("<script>") && !html.contains("unsafe-inline"))
    }

    @Test func pagesLoadAllFilesAtOnceUnlessTheyWaitForAClick() {
        let html = page(environment: true).indexHTML
        for name in ["vitrine.wasm", "model.glb", "environment.hdr"] {
            #expect(html.contains("<link rel=\"preload\" href=\"\(name)\" as=\"fetch\" crossorigin>"))
        }
        #expect(html.contains("<link rel=\"modulepreload\" href=\"vitrine-runtime.js\">"))
        #expect(!page(attributes: [("reveal", "interaction")]).indexHTML.contains("preload"))
    }

    @Test func foldersHaveTheFilesThatThePageNames() {
        let names = page(environment: true).folder.map(\.name)
        #expect(
            names == [
                "vitrine-viewer.js", "vitrine-runtime.js", "vitrine.wasm", "vitrine-meshopt.js", "model.glb", "environment.hdr",
                "poster.webp", "style.css",
                "index.html",
            ])
    }

    @Test func singleFilesNameNoOtherFiles() throws {
        let html = page(environment: true).singleFile
        for id in ["vitrine-model.glb", "vitrine-environment.hdr", "vitrine-runtime.js", "vitrine.wasm"] {
            #expect(html.contains("<script type=\"application/octet-stream\" id=\"\(id)\""))
        }
        #expect(html.contains("src=\"#vitrine-model.glb\" environment=\"#vitrine-environment.hdr\" poster=\"data:image/webp;base64,BAUG\""))
        let external = try Regex("(src|href)=\"(?!#|data:)")
        #expect(html.firstMatch(of: external) == nil)
    }

    @Test func inlineDataDecompressToTheSameBytes() throws {
        let bytes = (0..<50_000).map { UInt8($0 % 97) }
        let packed = try #require(InlineData.gzip(bytes))
        #expect(packed.count < bytes.count / 10)
        #expect(packed[4..<8] == [0, 0, 0, 0], "the header has a time")
        #expect(packed.withUnsafeBufferPointer(WebViewer.gunzip) == bytes)
        #expect(packed.dropLast(9).withUnsafeBufferPointer(WebViewer.gunzip) == nil)
        #expect(InlineData(bytes).isCompressed)
        var generator = SystemRandomNumberGenerator()
        let noise = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &generator) }
        #expect(!InlineData(noise).isCompressed)
        #expect(InlineData([]).base64 == "")
    }

    @Test func foldersAreReplacedOnlyIfTheyArePages() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("web-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let page = WebFolder(path: folder.appendingPathComponent("page").path)
        let names: Set = ["index.html", "model.glb"]
        try page.check(names: names)
        try page.write([WebFile(name: "index.html", bytes: [1]), WebFile(name: "model.glb", bytes: [2])])
        try page.check(names: names)
        try page.write([WebFile(name: "index.html", bytes: [3])])
        let written = try FileManager.default.contentsOfDirectory(atPath: page.path)
        #expect(written == ["index.html"])
        #expect(try Data(contentsOf: folder.appendingPathComponent("page/index.html")) == Data([3]))
        try Data().write(to: folder.appendingPathComponent("page/notes.txt"))
        #expect(throws: CommandError.self) { try page.check(names: names) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["page"], "temporary folders remain")
        #expect(throws: CommandError.self) { try WebFolder(path: folder.path + "/none/page").check(names: names) }
    }
}
