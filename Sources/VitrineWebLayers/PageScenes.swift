/// The scenes of layers that a web page can show.
///
///     // main.swift of the page's program
///     PageScenes.add("Button") { size throws(TextError) in try makeView(size: size) }
///
/// The page shows one with `<vitrine-layers src="program.wasm" scene="Button">`. docs/guide/web-layers.md describes how to build the program.
@MainActor public enum PageScenes {
    /// Creates a view; the errors of all scenes are of one type.
    typealias Maker = @MainActor (_ size: Vector2) -> Result<LayerView, SceneError>

    private static var makers: [String: Maker] = [:]

    /// Adds a scene, in place of an earlier one of the same name.
    ///
    /// - Parameters:
    ///   - name: The name in the page.
    ///   - make: Makes a view for a canvas of this size in points. Called once for each canvas. Its error appears in the browser's console.
    public static func add<Failure: Error & CustomStringConvertible>(
        _ name: String, _ make: @escaping @MainActor (_ size: Vector2) throws(Failure) -> LayerView
    ) {
        makers[name] = { size in
            do throws(Failure) { return .success(try make(size)) } catch { return .failure(SceneError(text: error.description)) }
        }
    }

    /// Adds a scene that can always be made.
    public static func add(_ name: String, _ make: @escaping @MainActor (_ size: Vector2) -> LayerView) {
        makers[name] = { size in .success(make(size)) }
    }

    /// Makes the view of a scene.
    static func make(_ name: String, size: Vector2) throws(SceneError) -> LayerView {
        guard let maker = makers[name] else {
            var names: [String] = []
            for name in makers.keys { names.append("'" + name + "'") }
            names.sort()
            throw SceneError(text: "there is no scene '" + name + "', only " + names.joined(separator: ", "))
        }
        return try maker(size).get()
    }
}

/// The reason for which a scene could not be created.
struct SceneError: Error {
    let text: String
}
