import Testing
import VitrineGLTF

@testable import VitrineFiles

/// Composition takes time and memory in proportion to the layers: files of a few kilobytes that multiply are refused early.
@Suite struct USDLimitTests {
    private func composer(_ text: String) throws -> USDComposer {
        let resources = ModelResources { (path) throws(FileError) in throw FileError(path: path, reason: "no files here") }
        let layers = USDLayers(Array(("#usda 1.0\n" + text).utf8), file: "a.usda", resources: resources)
        return try USDComposer(layers, root: try layers.root(name: "a.usda"), choices: [:])
    }

    private func refusal(_ text: String) -> ModelFileError? {
        do throws(ModelFileError) {
            _ = try SceneFile.read(Array(("#usda 1.0\n" + text).utf8), name: "a.usda") { (path) throws(FileError) in
                throw FileError(path: path, reason: "no files here")
            }
            return nil
        } catch { return error }
    }

    /// Each of `levels` prims brings in the next two.
    private static func doubling(_ arc: String, levels: Int) -> String {
        (0..<levels).map { level in
            ["A", "B"].map { "class \"\($0)\(level)\" (\(arc) = [</A\(level + 1)>, </B\(level + 1)>]) {}\n" }.joined()
        }.joined() + "class \"A\(levels)\" {}\nclass \"B\(levels)\" {}\ndef \"R\" (\(arc) = </A0>) {}\n"
    }

    @Test(arguments: ["references", "payload", "inherits", "specializes"]) func arcsThatDoubleAreRefused(arc: String) throws {
        let text = Self.doubling(arc, levels: 30)
        let composer = try composer(text)
        #expect {
            _ = try composer.root("/R")
        } throws: {
            guard let error = $0 as? ModelFileError, case .limit(let reason) = error.reason else { return false }
            return reason.contains("more than 4096 sites") && !error.location.isEmpty
        }
        #expect(composer.siteCount <= USDComposer.maximumSitesOfPrim)
        guard case .limit? = refusal(text)?.reason else {
            Issue.record("was read")
            return
        }
        // Fewer levels are accepted.
        #expect(refusal(Self.doubling(arc, levels: 8)) == nil)
    }

    /// A prim with two children, each of which brings in a prim with two children, and so on.
    @Test(arguments: ["", "instanceable = true "]) func primsThatDoubleAreRefused(metadata: String) throws {
        var text = ""
        for level in 0..<30 {
            let children = ["x", "y"].map { "def \"\($0)\" (\(metadata)references = </C\(level + 1)>) {}" }
            text += "class \"C\(level)\" { \(children.joined(separator: " ")) }\n"
        }
        text += "class \"C30\" {}\ndef \"R\" (references = </C0>) {}\n"
        guard case .limit(let reason)? = refusal(text)?.reason else {
            Issue.record("was read")
            return
        }
        #expect(reason.contains("places") || reason.contains("prims"))
        // Breadth first until the limit: the limit bounds the work, however many prims the file multiplies to.
        let composer = try composer(text)
        var queue = [try composer.root("/R")]
        var (next, isRefused) = (0, false)
        while next < queue.count, !isRefused {
            do throws(ModelFileError) {
                for name in ["x", "y"] { queue.append(try composer.child(name, of: queue[next], isInstance: false)) }
            } catch {
                if case .limit = error.reason { isRefused = true }
            }
            next += 1
            // The nodes of a finished prim are only read from below.
            if next > 64 {
                queue.removeFirst(next)
                next = 0
            }
        }
        #expect(isRefused && composer.siteCount <= USDComposer.minimumSites + USDComposer.sitesPerSpec * composer.layers.specCount + 1)
    }

    /// One place for each prim that brings in nothing, so that the work is linear.
    @Test func primsWithoutArcsHaveOneOpinionSourceEach() throws {
        let count = 3000
        let text = (0..<count).map { "def \"n\($0)\" { def \"c\" {} }\n" }.joined()
        let composer = try composer(text)
        for index in 0..<count {
            let root = try composer.root("/n\(index)")
            _ = try composer.child("c", of: root, isInstance: false)
        }
        #expect(composer.siteCount == 2 * count)
        #expect(refusal(text) == nil)
    }

    /// Names of root prims that several layers share come once, in the order of the weakest layer.
    @Test func rootsOfSeveralLayersComeOnce() throws {
        let weak = "#usda 1.0\ndef Xform \"a\" {}\ndef Xform \"b\" {}\n"
        let text = "#usda 1.0\n( subLayers = [@b.usda@] )\nover \"b\" {}\ndef Xform \"c\" {}\n"
        let loaded = try SceneFile.read(Array(text.utf8), name: "a.usda") { (_) throws(FileError) in Array(weak.utf8) }
        let top = loaded.scene.rootNode.childNodes
        let names = top.count == 1 && top[0].name.isEmpty ? top[0].childNodes.map(\.name) : top.map(\.name)
        #expect(names == ["a", "b", "c"])
    }

    @Test func deepAndLongTextsAreRefused() {
        let deep =
            "( customLayerData = " + String(repeating: "{ dictionary a = ", count: 250) + "{}" + String(repeating: "}", count: 250) + " )"
        #expect(refusal(deep)?.description == "a.usda:2: nested more than 200 deep")
        let brackets = "def \"a\" { float x = " + String(repeating: "[", count: 100_000) + " }"
        #expect(refusal(brackets) != nil)
    }
}
