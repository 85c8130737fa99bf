/// A value that few nodes have, stored out of line so that nodes stay small.
indirect enum Boxed<Value> {
    case none
    case some(Value)

    init(_ value: Value?) { self = value.map { .some($0) } ?? .none }

    var value: Value? {
        if case .some(let value) = self { return value }
        return nil
    }
}
