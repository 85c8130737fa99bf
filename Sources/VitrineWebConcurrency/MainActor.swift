// The main actor of a web page. The toolchain has no concurrency library for WebAssembly without an operating system, and a page has one thread: this module,
// compiled as `_Concurrency`, gives scene code its `@MainActor`, which the compiler checks as on other platforms. There are no tasks.

public protocol Actor: AnyObject, Sendable {
    nonisolated var unownedExecutor: UnownedSerialExecutor { get }
}

public protocol GlobalActor {
    associatedtype ActorType: Actor
    static var shared: ActorType { get }
}

@frozen public struct UnownedSerialExecutor: Sendable {
    public init() {}
}

@globalActor public final actor MainActor: GlobalActor {
    public static let shared = MainActor()
    public nonisolated var unownedExecutor: UnownedSerialExecutor { UnownedSerialExecutor() }

    /// Runs a function on the main actor: all code of a page runs there.
    public static func assumeIsolated<Result, Failure: Error>(
        _ operation: @MainActor () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        typealias Plain = () throws(Failure) -> Result
        return try withoutActuallyEscaping(operation) { operation throws(Failure) in try unsafeBitCast(operation, to: Plain.self)() }
    }
}
